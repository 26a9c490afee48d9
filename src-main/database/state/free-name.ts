/** A name that nothing has yet: the name itself, or "… copy", "… copy 2" and so on. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  // A copy of a copy is another copy of the first.
  const first = name.replace(/ copy(?: \d{1,4})?$/, '') || name
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? `${first} copy` : `${first} copy ${count}`
    if (!taken.has(candidate)) return candidate
  }
}
