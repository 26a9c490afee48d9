import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { importedFile } from '../../scripts/common/aliases.mjs'

const root = join(import.meta.dirname, '..', '..')

/** What a file takes at once; what it takes as types alone, or within functions, costs its start nothing. */
function takenBy(path: string): string[] {
  const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest)
  return file.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return []
    const isType = ts.isImportDeclaration(node) ? node.importClause?.isTypeOnly : node.isTypeOnly
    const { moduleSpecifier } = node
    return isType || !moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) ? [] : [moduleSpecifier.text]
  })
}

/** Packages and Node's own that are loaded with a file, each with the files that lead to it first. */
function loadedWith(path: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const ways = new Map<string, readonly string[]>([[path, [path]]])
  for (const [from, way] of ways) {
    for (const specifier of takenBy(from)) {
      const file = importedFile(from, specifier)
      if (file !== undefined && !ways.has(file)) ways.set(file, [...way, file])
      if (file === undefined && !found.has(specifier)) found.set(specifier, way)
    }
  }
  return found
}

it('loads neither connections nor keychain nor engine before the window', () => {
  const found = [...loadedWith('src-main/index.ts')]
  const early = ['electron', 'valibot', 'p-queue', '@internationalized/date']
  const late = ['node:http', 'node:https', 'node:tls']
  const isEarly = (name: string) =>
    name.startsWith('node:')
      ? !late.includes(name)
      : early.includes(
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        )
  expect(found.filter(([name]) => !isEarly(name))).toEqual([])
  // Files are followed by their aliases too.
  expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(early))
})
