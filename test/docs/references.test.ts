import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync(['docs/**/*.md', 'src-*/**/README.md', 'scripts/README.md', 'test/README.md'], { cwd: root }),
]
const withoutCode = (text: string) => text.replaceAll(/^```.*?^```/gms, '')

/** What GitHub calls the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const headingsOf = (text: string) =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)

/** What a comment cites: one of these documents, then a section and details of it, told apart by commas. */
const cited = new Map([
  ['specification', read('docs/service/interface.md').toLowerCase()],
  ['field notes', read('docs/service/field-notes.md').toLowerCase()],
])

function citationsIn(file: string) {
  const text = read(file).replaceAll(/\s*\n\s*(?:\*|\/\/)\s*/g, ' ')
  return [...text.matchAll(/\b(specification|field notes): ([^;)]+)[;)]/g)].map(
    ([, name = '', places = '']) => ({
      file,
      text: cited.get(name) ?? '',
      places: places.toLowerCase().split(/,\s*/),
    }),
  )
}

describe('a comment that cites the interface or the field notes', () => {
  const citations = globSync(['src-*/**/*.{ts,svelte}', 'test/{src-*,helpers,e2e}/**/*.ts'], {
    cwd: root,
  }).flatMap(citationsIn)

  it('is found', () => {
    expect(citations.length).toBeGreaterThan(80)
  })

  it('names a section of it first, and then what that document says', () => {
    const lost = citations.filter(
      ({ text, places: [section = '', ...details] }) =>
        !headingsOf(text).includes(section) || details.some((detail) => !text.includes(detail)),
    )
    expect(lost.map(({ file, places }) => ({ file, places }))).toEqual([])
  })
})

const sources = globSync(['src-*/**/*.{ts,svelte}', 'scripts/**/*.{ts,mjs}', 'test/**/*.ts'], { cwd: root })
const commentsIn = (text: string) =>
  [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<![:"'`])\/\/[^\n]*|<!--[\s\S]*?-->/g)].map(([comment]) => comment)

describe('a comment that names code', () => {
  const files = [...sources, ...globSync(['docs/**/*.md', '*.{md,ts}'], { cwd: root })]
  const comments = sources.map((file) => ({ file, text: commentsIn(read(file)).join('\n') }))

  it('names files that are there', () => {
    /** Of which a comment says how files are called. */
    const isExample = (name: string) => /(?:^|\/)[ab](?:\.\w+)*\.test\.ts$/.test(name)
    const isThere = (name: string) => files.some((file) => file === name || file.endsWith(`/${name}`))
    const lost = comments.flatMap(({ file, text }) =>
      [...text.matchAll(/(?<![\w/.*<-])((?:[\w-]+\/)*\w[\w.-]*\.(?:ts|mjs|svelte|md))\b(?!\.)/g)]
        .map(([, name = '']) => name)
        .filter((name) => !isThere(name) && !isExample(name))
        .map((name) => `${file}: ${name}`),
    )
    expect(lost).toEqual([])
  })

  it('names members that are there', () => {
    const texts = sources.map(read)
    const isThere = (type: string, member: string) =>
      texts
        .filter((text) => new RegExp(`\\b(?:class|type|interface|const) ${type}\\b`).test(text))
        .some((text) => new RegExp(`(?:#|\\b)${member}\\b(?:<[^>]*>)?[?]?(?:[(:]| =)`).test(text))
    const lost = comments.flatMap(({ file, text }) =>
      [...text.matchAll(/\(([A-Z]\w+)\.([a-z]\w+)(?:\(\))?\)/g)]
        .filter(([, type = '', member = '']) => !isThere(type, member))
        .map(([name]) => `${file}: ${name}`),
    )
    expect(lost).toEqual([])
  })
})

describe('a document', () => {
  it.each(documents)('%s links to what is there', (file) => {
    const links = [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const lost = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? file : join(dirname(file), path)
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && !headingsOf(read(target)).map(anchorOf).includes(anchor)
    })
    expect(lost).toEqual([])
  })

  it.each(documents)('%s names files and folders that are there', (file) => {
    const names = [...withoutCode(read(file)).matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name)
    const paths = names.filter((name) =>
      /^(?!a\/b\.)(?:(?:src-[a-z]+|test|scripts|docs)\/[\w./-]*|[\w./-]+\.(?:ts|svelte))$/.test(name),
    )
    const folders = ['.', dirname(file), 'src-main', 'src-renderer', 'test']
    const isThere = (path: string) => folders.some((folder) => existsSync(join(root, folder, path)))
    expect(paths.filter((path) => !isThere(path))).toEqual([])
  })
})

it.each([
  ['README.md', 120],
  ['docs/architecture.md', 150],
  ...globSync('src-*/**/README.md', { cwd: root }).map((file): [string, number] => [file, 40]),
])('%s has at most %i lines', (file, max) => {
  expect(read(file).trimEnd().split('\n').length).toBeLessThanOrEqual(max)
})

it('what holds a defence is a test or a script', () => {
  const text = read('docs/security.md').replaceAll(/\n +/g, ' ')
  const names = [...text.matchAll(/Tests: (.+)\./g)].flatMap(([, tests = '']) =>
    tests.replaceAll('`', '').split(', '),
  )
  const scripts = read('package.json')
  const isThere = (name: string) =>
    scripts.includes(`"${name}":`) ||
    ['', '.test.ts', '.e2e.ts'].some((end) =>
      ['test', 'test/src-main'].some((folder) => existsSync(join(root, folder, `${name}${end}`))),
    )
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !isThere(name))).toEqual([])
})

it('the glossary defines at most 60 terms, each once', () => {
  const terms = [...read('docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, term = '']) =>
    term.toLowerCase(),
  )
  expect(terms.length).toBeLessThanOrEqual(60)
  expect(new Set(terms).size).toBe(terms.length)
})
