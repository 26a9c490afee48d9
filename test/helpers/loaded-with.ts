import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { importedFile } from '../../scripts/common/aliases.mjs'

const root = join(import.meta.dirname, '..', '..')
const scripts = /<script[^>]*>(.*?)<\/script>/gs

/** What a file takes at once; what it takes as types alone, or within functions, costs its start nothing. */
function takenBy(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8')
  const code = path.endsWith('.svelte')
    ? Array.from(text.matchAll(scripts), ([, script]) => script).join('\n')
    : text
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest)
  return file.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return []
    const isType = ts.isImportDeclaration(node) ? node.importClause?.isTypeOnly : node.isTypeOnly
    const { moduleSpecifier } = node
    return isType || !moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) ? [] : [moduleSpecifier.text]
  })
}

/** A package's name, without the path within it. */
const packageOf = (specifier: string) =>
  specifier.startsWith('node:')
    ? specifier
    : specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/')

/** Packages and Node's own that are loaded with a file, each with the files that lead to it first. */
export function loadedWith(path: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const ways = new Map<string, readonly string[]>([[path, [path]]])
  for (const [from, way] of ways) {
    if (!/\.(?:ts|mjs|svelte)$/.test(from)) continue
    for (const specifier of takenBy(from)) {
      const file = importedFile(from, specifier)
      if (file !== undefined && !ways.has(file)) ways.set(file, [...way, file])
      const name = packageOf(specifier)
      if (file === undefined && !found.has(name)) found.set(name, way)
    }
  }
  return found
}
