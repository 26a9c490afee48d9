import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { components, filesOf, read, textsOfComponent, textsOfModule } from './window-texts.ts'

const guide = filesOf('docs/guide/*.md')

/** Sentences and names that a reader from the trade stumbled over. Letters, case and spaces count; line breaks do not. */
const refused = `
In as many days before | What was bought, and what was bad | Bad, of requests | Make again | The case is made
Evidence for whoever pays | They stand on the pages | all figures and rows are as they were | by and by
No rows belong to this case | rows and figures tell the same | nothing is judged here | in the zone | in days of
Not asked for yet | This asks the service | Not over: | Its figures go up to | Can still change | Not newer
refuses the access token | pages are there | In no row | cannot be compared with | Set aside:
was not opened with this selection | the service makes one up | Columns of your own | lies on your computer
are watched and saved meanwhile | say how they were judged | Entries at most | One range a line | As the system
Begin with what the list was made of | has other people in it too | They get into no block list | Try now
Calls for one look | is asked for each source by itself | Colour of lines | When Traffic Desk runs
system's folder of downloads | changes of rates are in percent | Take figures along | Taking figures along
was put to the service | not beside them | What happened | Remove saved ones from list | Being prepared
Tokens are in no backup | what the words mean | reports from the dashboard | Bad share | Bad rows in %
Share, in points | pdated at | Synced at | fetched at | Ask again | Limit rows | Limit to | Kept offline | Read in
`
  .split(/[|\n]/)
  .map((phrase) => phrase.trim())
  .filter(Boolean)

/** Comments say what they like. */
const withoutComments = (code: string) =>
  code.replaceAll(/\/\*[^]*?\*\/|<!--[^]*?-->/g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')

/** Synonyms are what people type, and the sandbox speaks for the service. */
const sources = () =>
  filesOf('src-{main,shared,renderer}/**/*.{ts,svelte}').filter(
    (file) => !file.startsWith('src-main/sandbox/') && !file.endsWith('texts/palette.ts'),
  )

it.each([
  ['the window', sources],
  ['the guide', () => guide],
])('%s says nothing that was found hard to read', (_, files) => {
  const patterns = refused.map((phrase) => ({
    phrase,
    found: new RegExp(phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+')),
  }))
  const all = files().flatMap((file) => {
    const text = withoutComments(read(file))
    return patterns.filter(({ found }) => found.test(text)).map(({ phrase }) => `${file}: ${phrase}`)
  })
  expect(all).toEqual([])
})

const textOfGuide = (file: string): string => read(file).replaceAll(/`[^`]*`|\]\([^)]*\)|https?:\S+/g, ' ')

const wordsIn = (text: string): string[] =>
  text
    .replaceAll('’', "'")
    .match(/\p{L}+(?:['-]\p{L}+)*/gu)
    ?.map((word) => word.toLowerCase()) ?? []

/** The window is British, as “colour” in Settings; its dates and numbers are those of the system. */
const american =
  /^(colors?|centers?|gray|licenses?|cancel(ed|ing)|favorites?|catalogs?|label(ed|ing)|behaviors?|neighbors?|\p{L}+[^s]iz(e[ds]?|ing))$/u

it('uses words of the lexicon alone, in the window and in the guide', () => {
  const texts = [
    ...filesOf('src-shared/texts/*.ts')
      .filter((file) => !file.endsWith('palette.ts'))
      .flatMap(textsOfModule),
    ...components.flatMap(textsOfComponent),
    ...guide.map(textOfGuide),
  ]
  const words = [...new Set(texts.flatMap(wordsIn))].toSorted()
  const lexicon = join(import.meta.dirname, 'lexicon.txt')
  // A new word is taken in on purpose: LEXICON=write renews the list, and a reader of the change sees it.
  if (process.env['LEXICON'] === 'write') writeFileSync(lexicon, `${words.join('\n')}\n`)
  const known = readFileSync(lexicon, 'utf8').trimEnd().split('\n')
  expect(words.filter((word) => !known.includes(word))).toEqual([])
  expect(known, 'what nobody says any more leaves the list').toEqual(words)
  expect(known.filter((word) => american.test(word))).toEqual([])
})
