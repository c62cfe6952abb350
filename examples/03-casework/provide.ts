import type { Provide } from 'holdpoint';
import type { Accounts } from './accounts.js';
import { CaseFile, CaseworkAgent, ChangeAddress } from './casework-agent.js';

/** This program's whole container: the tools get what they need from here. */
export function provideWith(accounts: Accounts): Provide {
  return (cls) => {
    if (cls === CaseFile) return new CaseFile(accounts);
    if (cls === ChangeAddress) return new ChangeAddress(accounts);
    return new CaseworkAgent();
  };
}
