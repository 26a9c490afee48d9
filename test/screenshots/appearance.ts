import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parse } from 'svelte/compiler'
import ts from 'typescript'
import { importedFile } from '../../scripts/common/aliases.mjs'

const root = join(import.meta.dirname, '..', '..')
const renderer = join(root, 'src-renderer')
const frame = ['components/frame/Header.svelte', 'components/frame/SideBar.svelte']
const report = ['views/reports/Reports.svelte', 'views/reports/ReportResult.svelte']

/** The scenes that documents show, with the components that they show. What loads with a click is not in them. */
export const shownBy: Readonly<Record<string, readonly string[]>> = {
  'chart-compared': [
    ...frame,
    ...report,
    'components/chart/ReportFigure.svelte',
    'components/table/CompareNote.svelte',
  ],
  partial: [...frame, ...report],
  'raw-report': [...frame, 'views/raw/RawListPage.svelte', 'views/raw/details/RawDetails.svelte'],
}

/**
 * A hash of what a scene can look like: texts, elements, classes and styles of its components and of all that they import.
 * Where a name, a folder or a line of logic changes it stays as it is.
 */
export function appearanceOf(scene: string): string {
  const files = reachable((shownBy[scene] ?? []).map((path) => join(renderer, path)))
  const styles = globSync('theme/*.css', { cwd: renderer }).map((path) => join(renderer, path))
  const seen = new Set([...files, ...styles].flatMap((file) => piecesOf(file, readFileSync(file, 'utf8'))))
  return createHash('sha256')
    .update([...seen].sort().join('\n'))
    .digest('hex')
    .slice(0, 16)
}

function reachable(roots: readonly string[]): readonly string[] {
  const found = new Set<string>()
  const visit = (file: string) => {
    if (found.has(file)) return
    if (!existsSync(file)) throw new Error(`${file} is not there: see shownBy in ${import.meta.filename}`)
    found.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(/^\s*import (?!type\b)[^;]*?from '([.#][^']+)'/gm)
    for (const [, path = ''] of imports) {
      const imported = importedFile(relative(root, file), path)
      if (imported !== undefined) visit(join(root, imported))
    }
  }
  roots.forEach(visit)
  return [...found]
}

/** What a file adds to the appearance of a scene. @param file its name, for its ending */
export function piecesOf(file: string, text: string): readonly string[] {
  if (file.endsWith('.css')) return [plainStyle(text)]
  if (!file.endsWith('.svelte')) return wordsIn(text)
  const { fragment, css, instance, module } = parse(text, { modern: true })
  const scripts = [instance, module].map((script) => (script ? text.slice(script.start, script.end) : ''))
  return [
    ...markupIn(fragment),
    ...scripts.map((script) => script.replace(/^<script[^>]*>|<\/script>$/g, '')).flatMap(wordsIn),
    ...(css ? [plainStyle(css.content.styles)] : []),
  ]
}

const plainStyle = (css: string) =>
  css
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Texts for a person begin with a capital or hold a blank; names of the code do neither. */
const isForPeople = (text: string) => /^\p{Lu}|\s/u.test(text)

/** The texts of a script: its strings and what stands between a template's expressions. */
function wordsIn(script: string): readonly string[] {
  const words: string[] = []
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
    if (isText && isForPeople(node.text)) words.push(node.text.trim())
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('words.ts', script, ts.ScriptTarget.ES2023))
  return words
}

/** Texts, names of elements and attributes that are written out, of a component's tree. */
function markupIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(markupIn)
  if (typeof node !== 'object' || node === null) return []
  const own =
    'type' in node && 'data' in node && node.type === 'Text' && typeof node.data === 'string'
      ? [node.data.replaceAll(/\s+/g, ' ').trim()]
      : 'type' in node && 'name' in node && node.type === 'RegularElement'
        ? [`<${String(node.name)}>`]
        : []
  const literal = 'type' in node && node.type === 'Literal' && 'value' in node ? String(node.value) : ''
  return [...own, ...(isForPeople(literal) ? [literal] : []), ...Object.values(node).flatMap(markupIn)]
}
