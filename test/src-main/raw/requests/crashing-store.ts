import type { Store } from '#main/database/open-store.ts'

export type Death = {
  /** How many operations of the store there are before the app is killed; without end unless given. */
  readonly operations?: number
  /** Whether it still hears of the last of them, and is killed when it asks for the next. */
  readonly hearsLast?: boolean
}

/** A store as an app sees it that is killed: that neither writes nor asks nor hears anything any more. */
export function crashingStore(stored: Store, { operations = Infinity, hearsLast = false }: Death) {
  let left = operations
  let die = () => {}
  const died = new Promise<void>((resolve) => (die = resolve))
  const never = new Promise<never>(() => undefined)
  const store: Store = {
    ...stored,
    run: (name, argument) => {
      left -= 1
      if (left < 0) {
        die()
        return never
      }
      const result = stored.run(name, argument)
      if (left > 0 || hearsLast) return result
      die()
      return never
    },
  }
  const abandon = () => {
    left = 0
    die()
  }
  return { store, died, abandon, isAlive: () => left > 0 }
}
