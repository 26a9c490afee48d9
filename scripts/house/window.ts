import ts from 'typescript'
import { placesIn } from './code.ts'
import type { Source } from './code.ts'

const inWindow = (sources: readonly Source[]): readonly Source[] =>
  sources.filter(({ path }) => path.startsWith('src-renderer/'))

const inComponents = (sources: readonly Source[]): readonly Source[] =>
  inWindow(sources).filter(({ path }) => path.endsWith('.svelte'))

/** Calls of Svelte's `untrack`. */
export const untracked = (sources: readonly Source[]): readonly string[] =>
  placesIn(inWindow(sources), (node) =>
    ts.isCallExpression(node) && node.expression.getText() === 'untrack' ? 'untrack' : undefined,
  )

/** Listeners for events of the main process. */
export const bridgeListeners = (sources: readonly Source[]): readonly string[] =>
  placesIn(inWindow(sources), (node) => bridgeCall(node, 'on'))

/** Calls of the main process that components make themselves. */
export const callsInComponents = (sources: readonly Source[]): readonly string[] =>
  placesIn(inComponents(sources), (node) => bridgeCall(node, 'call'))

/** Classes that ask the main process and follow its events. */
export const askingClasses = (sources: readonly Source[]): readonly string[] =>
  placesIn(inWindow(sources), (node) => {
    if (!ts.isClassDeclaration(node)) return undefined
    const both = hasCall(node, 'call') && hasCall(node, 'on')
    return both ? (node.name?.text ?? 'class') : undefined
  })

function hasCall(node: ts.Node, method: string): boolean {
  return (
    bridgeCall(node, method) !== undefined ||
    (ts.forEachChild(node, (child) => hasCall(child, method)) ?? false)
  )
}

/** A call of `bridge.<method>`, as it is written; undefined for every other node. */
function bridgeCall(node: ts.Node, method: string): string | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined
  const { expression, name } = node.expression
  const isBridge = name.text === method && /(^|[.#])bridge$/.test(expression.getText())
  return isBridge ? `${method} ${node.arguments[0]?.getText() ?? ''}` : undefined
}
