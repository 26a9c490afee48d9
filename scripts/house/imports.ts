import ts from 'typescript'
import { importedFile } from '../common/aliases.mjs'
import { walk } from './code.ts'
import type { Source } from './code.ts'

/** Circles of imports, of types and inside functions too: each with its files, where one leads to every other. */
export function importCircles(sources: readonly Source[]): readonly string[] {
  const known = new Set(sources.map(({ path }) => path))
  const imports = new Map(sources.map((source) => [source.path, importsOf(source, known)]))
  return circlesOf(imports).map((files) => files.sort().join(' ↔ '))
}

function importsOf(source: Source, known: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>()
  walk(source, (node) => {
    const specifier = specifierOf(node)
    const path = specifier === undefined ? undefined : importedFile(source.path, specifier)
    if (path !== undefined && known.has(path)) found.add(path)
  })
  return [...found]
}

function specifierOf(node: ts.Node): string | undefined {
  const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isDeclaration = ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
  const isType = ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)
  const named = isCall ? node.arguments[0] : isDeclaration ? node.moduleSpecifier : undefined
  const text = isType && ts.isLiteralTypeNode(node.argument) ? node.argument.literal : named
  return text && ts.isStringLiteral(text) ? text.text : undefined
}

/** Strongly connected components of more than one file, by Tarjan's algorithm. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (file: string): number => {
    const nth = order.size
    order.set(file, nth)
    let low = nth
    open.push(file)
    for (const next of graph.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low)
    }
    if (low === nth) {
      const circle = open.splice(open.indexOf(file))
      if (circle.length > 1) circles.push(circle)
    }
    return low
  }
  for (const file of graph.keys()) if (!order.has(file)) visit(file)
  return circles
}
