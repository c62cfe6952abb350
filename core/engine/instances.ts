import type { Class } from '../definition/definition.js';
import { DefinitionError } from '../errors.js';
import { describeThrown } from '../model/text.js';

/** Makes the instance of an agent's or a tool's class, e.g. out of a container. */
export type Provide = (cls: Class) => object | Promise<object>;

/** The instances that one start or resume uses: each made once, at its first use. */
export class Instances {
  readonly #made = new Map<Class, object>();

  constructor(private readonly provide: Provide) {}

  /** @throws DefinitionError if the instance cannot be made */
  async of(cls: Class): Promise<object> {
    const made = this.#made.get(cls) ?? (await this.#make(cls));
    this.#made.set(cls, made);
    return made;
  }

  async #make(cls: Class): Promise<object> {
    const made = await this.#provided(cls);
    if (made instanceof cls) return made;
    throw new DefinitionError(`provide(${cls.name}) did not return an instance of ${cls.name}`);
  }

  async #provided(cls: Class): Promise<unknown> {
    try {
      return await this.provide(cls);
    } catch (thrown) {
      const { message } = describeThrown(thrown);
      throw new DefinitionError(`no instance of ${cls.name} could be made: ${message}`, { cause: thrown });
    }
  }
}
