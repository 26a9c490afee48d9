import type { InstanceId } from '../values/ids.ts'

/** An instance with its name. */
export type NamedInstance = {
  readonly id: InstanceId
  readonly name: string
  /** Whether another instance of the account has the same name, so that only the id is unique. */
  readonly isShared?: true
}

/** Returns an instance's name, with the id if the name is shared: `Shop (4117)`. Returns the id if there is no name. */
export function instanceText({ id, name, isShared }: NamedInstance): string {
  if (name === '') return id
  return isShared ? `${name} (${id})` : name
}

/** Normalises a name, so that names that look alike are equal. */
const normaliseName = (name: string): string => name.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** Finds names that several instances share. The same instance may be added repeatedly. */
export class SharedNames {
  readonly #ids = new Map<string, InstanceId | null>()

  constructor(instances: readonly NamedInstance[]) {
    for (const instance of instances) this.add(instance)
  }

  add({ id, name }: NamedInstance): void {
    if (name === '') return
    const other = this.#ids.get(normaliseName(name))
    if (other !== id) this.#ids.set(normaliseName(name), other === undefined ? id : null)
  }

  has(name: string): boolean {
    return this.#ids.get(normaliseName(name)) === null
  }

  /** Marks an instance whose name is shared. */
  marked<T extends NamedInstance>(instance: T): T {
    return this.has(instance.name) ? { ...instance, isShared: true } : instance
  }

  /** Returns the shared names, unnormalised and without duplicates. */
  namesShared(instances: readonly NamedInstance[]): readonly string[] {
    return [...new Set(instances.flatMap(({ name }) => (this.has(name) ? name : [])))]
  }
}
