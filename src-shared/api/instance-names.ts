import type { InstanceId } from '../values/ids.ts'

/** An instance as it is named to people. */
export type NamedInstance = {
  readonly id: InstanceId
  readonly name: string
  /** Whether another instance of the account has this name: only the id tells them apart. */
  readonly isShared?: true
}

/** An instance's name, with its id if another instance has the name: `Shop (4117)`. Its id if it has no name. */
export function instanceText({ id, name, isShared }: NamedInstance): string {
  if (name === '') return id
  return isShared ? `${name} (${id})` : name
}

/** Names that look alike are the same to people. */
const seen = (name: string): string => name.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** Names of several instances. One instance may be given several times. */
export class SharedNames {
  readonly #ids = new Map<string, InstanceId | null>()

  constructor(instances: readonly NamedInstance[]) {
    for (const instance of instances) this.add(instance)
  }

  add({ id, name }: NamedInstance): void {
    if (name === '') return
    const other = this.#ids.get(seen(name))
    if (other !== id) this.#ids.set(seen(name), other === undefined ? id : null)
  }

  has(name: string): boolean {
    return this.#ids.get(seen(name)) === null
  }

  /** An instance that says whether its name is another's as well. */
  marked<T extends NamedInstance>(instance: T): T {
    return this.has(instance.name) ? { ...instance, isShared: true } : instance
  }

  /** The names themselves, as the instances have them. */
  namesShared(instances: readonly NamedInstance[]): readonly string[] {
    return [...new Set(instances.flatMap(({ name }) => (this.has(name) ? name : [])))]
  }
}
