/** As much of a label as fits beside a bar. */
const LONGEST = 26

/** A label cut for an axis, never inside a character. One without text is named, since a bar needs a name. */
export function briefLabel(label: string): string {
  const characters = Array.from(label.slice(0, LONGEST * 4))
  if (label.trim() === '') return '(blank)'
  return characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : label
}
