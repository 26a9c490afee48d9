/** A text to search by: as many labels as can be have it somewhere and do not begin with it, while others do. */
export function searchText(labels: readonly string[]): string {
  const folded = labels.map((label) => label.toLowerCase())
  const candidates = new Set(
    folded.slice(0, 50).flatMap((label) => pieces(label, 1).concat(pieces(label, 2))),
  )
  let best = { text: folded[0] ?? '', score: -1 }
  for (const text of candidates) {
    const beginning = folded.filter((label) => label.startsWith(text)).length
    const having = folded.filter((label) => label.includes(text)).length
    const score = beginning === 0 ? -1 : Math.min(beginning * 2, having - beginning)
    if (score > best.score) best = { text, score }
  }
  return best.text
}

/** Pieces of plain letters: what folding upper and lower case means for others differs between systems. */
function pieces(label: string, length: number): string[] {
  return Array.from({ length: Math.max(0, label.length - length + 1) }, (_, at) =>
    label.slice(at, at + length),
  ).filter((piece) => /^[a-z]+$/.test(piece))
}
