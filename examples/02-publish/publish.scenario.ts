import type { Provide } from 'holdpoint';
import type { Scenario } from 'holdpoint/testkit';
import { ChangeRequests } from './change-requests.js';
import { goalOf, OpenChangeRequest, PushBranch, ReleaseAgent, releasePolicy } from './release-agent.js';
import { World } from './world.js';

/** The whole container of this program: the tools get what they need from here. */
export function provideIn(world: World): Provide {
  return (cls) => {
    if (cls === PushBranch) return new PushBranch(world.remote);
    if (cls === OpenChangeRequest) return new OpenChangeRequest(new ChangeRequests((work) => world.reachForge(work)));
    return new ReleaseAgent();
  };
}

/** The release agent in a world of its own, for a process to die in. Nobody is there to be asked. */
export async function scenario(dir: string): Promise<Scenario> {
  const world = await World.at(dir);
  return {
    agents: [ReleaseAgent],
    agent: ReleaseAgent,
    goal: goalOf(await world.release()),
    provide: provideIn(world),
    policy: releasePolicy,
  };
}
