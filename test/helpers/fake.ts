/**
 * A service of which a test needs some members. Any other member that is read fails the test by its name.
 * It stands in for a real service only where that one cannot answer as the test has to have it.
 */
export function fake<T extends object>(name: string, members: Partial<T>): T {
  return new Proxy(members, {
    get: (target, key, receiver): unknown => {
      // What promises and test runners ask of any object.
      if (typeof key === 'symbol' || key === 'then' || key === 'toJSON' || key in target)
        return Reflect.get(target, key, receiver)
      throw new TypeError(`${name}.${key} is not faked`)
    },
  }) as T
}
