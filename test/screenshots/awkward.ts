/** Labels that are hard to show, in place of the first of the networks. */
const labels = [
  'شبكة الاتصالات الوطنية (AS 65536)',
  'רשת בדיקה – test‏',
  'Z̷̛̳͎a̸̡͑l̶̢̓g̴̱͝o̵͇͊ Té́́lécom',
  `Harbour ${'Very Long Networks '.repeat(600)}Ltd`.slice(0, 10_000),
  '   three spaces before, a line\nbreak within',
  '<script>alert("1")</script> & "quotes" 100%',
  '👩‍👩‍👧‍👦 Family Broadband 🇨🇭',
  'ＦＵＬＬＷＩＤＴＨ　通信株式会社',
]

type Answer = { table?: { rows: unknown[][] }; query?: { page?: unknown } }

/** An answer of `script/networks` with awkward labels on its first page; any other as it is. */
export function awkward(path: string, text: string): string {
  if (!path.endsWith('/script/networks') || !text.startsWith('{')) return text
  const answer = JSON.parse(text) as Answer
  if (answer.query?.page !== 1) return text
  labels.forEach((label, index) => {
    const row = answer.table?.rows[index]
    if (row) row[0] = encodeURIComponent(label)
  })
  return JSON.stringify(answer)
}
