import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'svelte/compiler'
import ts from 'typescript'

/** A file of the app: `path` is relative to the project, with `/`; a component's tree holds its script and its template's expressions. */
export type Source = { readonly path: string; readonly text: string; readonly tree: ts.SourceFile }

/** What is counted: sources of the app, and paths of the unit tests. */
export type Code = {
  readonly sources: readonly Source[]
  readonly tests: readonly string[]
}

const sourceFolders = ['src-main', 'src-renderer', 'src-shared']

/** Reads the whole of a checkout. @param root its folder */
export function readCode(root: string): Code {
  const sources = sourceFolders
    .flatMap((folder) => filesIn(root, folder))
    .filter((path) => /\.(ts|svelte)$/.test(path))
    .map((path) => sourceOf(path, readFileSync(join(root, path), 'utf8')))
  const tests = sourceFolders
    .flatMap((folder) => filesIn(root, `test/${folder}`))
    .filter((path) => path.endsWith('.test.ts'))
  return { sources, tests }
}

function filesIn(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(root.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort()
}

/** Parses one file. */
export function sourceOf(path: string, text: string): Source {
  const script = path.endsWith('.svelte') ? scriptOf(text) : text
  const tree = ts.createSourceFile(path, script, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS)
  return { path, text, tree }
}

type Ranged = { readonly type: string; readonly start: number; readonly end: number }

const isNode = (value: unknown): value is Ranged =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'start' in value &&
  typeof value.start === 'number' &&
  'end' in value &&
  typeof value.end === 'number'

const isExpression = ({ type }: Ranged): boolean =>
  /(Expression|Declaration)$|^(Identifier|TemplateLiteral)$/.test(type)

/** A component as TypeScript: everything but its scripts and the expressions of its template becomes blanks, lines stay. */
function scriptOf(text: string): string {
  const { module, instance, fragment } = parse(text, { modern: true })
  const output = text.replace(/[^\n]/g, ' ').split('')
  const copy = (start: number, end: number) => {
    for (let place = start; place < end; place += 1) output[place] = text[place] ?? ' '
  }
  for (const script of [module, instance]) {
    const opening = script ? text.indexOf('>', script.start) + 1 : 0
    if (script) copy(opening, text.lastIndexOf('</', script.end))
  }
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (typeof value !== 'object' || value === null) return
    if (isNode(value) && value.type.endsWith('Pattern')) return
    if (!isNode(value) || !isExpression(value)) return Object.values(value).forEach(visit)
    copy(value.start, value.end)
    const isObject = value.type === 'ObjectExpression'
    if (isObject) output[value.start - 2] = ';'
    output[value.start - 1] = isObject ? '(' : ';'
    output[value.end] = isObject ? ')' : ';'
  }
  visit(fragment)
  return output.join('')
}

/** Calls `look` with every node of a source, parents first. */
export function walk(source: Source, look: (node: ts.Node) => void): void {
  const visit = (node: ts.Node): void => {
    look(node)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source.tree, visit)
}

/** Where a node stands, and what is to be said of it. */
export function placeOf(source: Source, node: ts.Node, words: string): string {
  return `${source.path}:${lineAt(source, node.getStart(source.tree)) + 1} ${words}`
}

/** The line of an offset, from 0. */
export const lineAt = ({ tree }: Source, offset: number): number =>
  tree.getLineAndCharacterOfPosition(offset).line

/** The places that `find` returns for the nodes of the sources. */
export function placesIn(
  sources: readonly Source[],
  find: (node: ts.Node, source: Source) => string | undefined,
): readonly string[] {
  return sources.flatMap((source) => {
    const places: string[] = []
    walk(source, (node) => {
      const words = find(node, source)
      if (words !== undefined) places.push(placeOf(source, node, words))
    })
    return places
  })
}
