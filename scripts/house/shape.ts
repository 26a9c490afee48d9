import ts from 'typescript'
import { lineAt, placeOf, placesIn, walk } from './code.ts'
import type { Source } from './code.ts'

/** Sources of the main process without the stand-in service. */
const main = (sources: readonly Source[]): readonly Source[] =>
  sources.filter(({ path }) => path.startsWith('src-main/') && !path.startsWith('src-main/sandbox/'))

/** Functions of more lines than this are counted. */
const maxLines = 80

/** Functions that are too long, with their name and lines. */
export const longFunctions = (sources: readonly Source[]): readonly string[] =>
  placesIn(sources, (node, source) => {
    if (!isFunction(node)) return undefined
    const lines = lineAt(source, node.end) - lineAt(source, node.getStart(source.tree)) + 1
    return lines > maxLines ? `${nameOf(node)} ${lines} lines` : undefined
  })

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionLike(node) && 'body' in node && node.body !== undefined

function nameOf(node: ts.FunctionLikeDeclaration): string {
  const { name, parent } = node
  if (name) return name.getText()
  const named = ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent)
  return named || ts.isPropertyAssignment(parent) ? parent.name.getText() : '(no name)'
}

/** Maximum number of parameters: more of them are told apart by their places only. */
const maxParameters = 5

/** Functions and constructors with too many parameters. */
export const manyParameters = (sources: readonly Source[]): readonly string[] =>
  placesIn(sources, (node) => {
    if (!isFunction(node) || node.parameters.length <= maxParameters) return undefined
    const name = ts.isConstructorDeclaration(node) ? node.parent.name?.text : nameOf(node)
    return `${name} ${node.parameters.length} parameters`
  })

/** Parts of types, chosen by their members' names. */
export const picks = (sources: readonly Source[]): readonly string[] =>
  placesIn(main(sources), (node) =>
    ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Pick' ? node.getText() : undefined,
  )

/** Exported types and classes with a name that several files export. */
export function namesTwice(sources: readonly Source[]): readonly string[] {
  const places = new Map<string, string[]>()
  for (const source of sources)
    for (const node of source.tree.statements) {
      const isType =
        ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)
      if (!isType || !node.name || !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
        continue
      const { text } = node.name
      places.set(text, [...(places.get(text) ?? []), placeOf(source, node, text)])
    }
  return [...places.values()].filter(({ length }) => length > 1).flat()
}

function isFunctionMember(node: ts.Node): node is ts.MethodSignature | ts.PropertySignature {
  if (ts.isMethodSignature(node)) return true
  if (!ts.isPropertySignature(node) || !node.type) return false
  const types = ts.isUnionTypeNode(node.type) ? node.type.types : [node.type]
  return types.some((type) => ts.isFunctionTypeNode(ts.isParenthesizedTypeNode(type) ? type.type : type))
}

/** Events told apart by a property that they have. */
export const eventsByProperty = (sources: readonly Source[]): readonly string[] =>
  placesIn(sources, (node) => {
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.InKeyword) return undefined
    const isEvent = /^(event|message|change|changed)$/i.test(node.right.getText())
    return isEvent && ts.isStringLiteral(node.left) ? node.getText() : undefined
  })

/** Names under which one part of the main process tells another of a change. */
const notifying = /^(emit|notify|announce|raise|becameReady)$|^on[A-Z]|([cC]hanged|Ended)$/

/**
 * Ways to notify: each name of a function handed in for it, and each list of listeners that a part has of its own. What lies under
 * all parts (`lib`) is not counted.
 */
export function waysToNotify(sources: readonly Source[]): readonly string[] {
  const handedIn = new Map<string, string>()
  const lists: string[] = []
  const parts = main(sources).filter(({ path }) => !/^src-main\/(lib|workers)\//.test(path))
  for (const source of parts)
    walk(source, (node) => {
      const name = isFunctionMember(node) && /=> void\b/.test(node.getText()) ? node.name.getText() : ''
      if (notifying.test(name) && !handedIn.has(name)) handedIn.set(name, placeOf(source, node, name))
      const declared = ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node)
      if (declared && /listeners$/i.test(node.name.getText()))
        lists.push(placeOf(source, node, node.name.getText()))
    })
  return [...handedIn.values(), ...lists]
}

/** Back-off formulas: functions that double a pause or spread it by chance, each once. */
export function backOffs(sources: readonly Source[]): readonly string[] {
  const found = new Set<string>()
  for (const source of main(sources))
    walk(source, (node) => {
      if (!isDoubling(node) && !isSpreading(node)) return
      let above: ts.Node = node.parent
      while (!isFunction(above) && !ts.isSourceFile(above)) above = above.parent
      if (isFunction(above)) found.add(placeOf(source, above, nameOf(above)))
    })
  return [...found]
}

function isDoubling(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node)) return false
  const { left, right, operatorToken } = node
  if (operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken)
    return left.getText() === '2' && /tries|times|failures|attempt|wrong/i.test(right.getText())
  return (
    operatorToken.kind === ts.SyntaxKind.AsteriskToken &&
    right.getText() === '2' &&
    /pause|wait|delay/i.test(left.getText())
  )
}

const isSpreading = (node: ts.Node): boolean =>
  ts.isCallExpression(node) && /(^|\.#?|[^a-z])random$/i.test(node.expression.getText())

/** What lets things in one after another, or a few at a time: what declares it is counted, not what uses it. */
const limiter =
  /^[A-Z]?\w*(Queue|Mutex|Semaphore|Bandwidth|Pace|Limiter|SingleFlight|Cancellations)$|^(Places|Schedule|Shared|Lanes?)$|^#?inTurn$|AtATime$/

/** Queues and limiters: classes, functions and types of such a name, and chains of promises made by hand. */
export const limiters = (sources: readonly Source[]): readonly string[] =>
  placesIn(main(sources), (node) => {
    const isDeclaration =
      ts.isClassDeclaration(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      (ts.isVariableDeclaration(node) && !!node.initializer && ts.isArrowFunction(node.initializer))
    if (isDeclaration && node.name && limiter.test(node.name.getText())) return node.name.getText()
    const isVariable = ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)
    if (!isVariable || node.initializer?.getText() !== 'Promise.resolve()') return undefined
    return `${node.name.getText()}: a chain of promises`
  })

/** Job kinds with progress: types of the window's that say of running work how far it is. */
export const jobKinds = (sources: readonly Source[]): readonly string[] =>
  placesIn(
    sources.filter(({ path }) => path.startsWith('src-shared/')),
    (node) => {
      if (!ts.isTypeLiteralNode(node)) return undefined
      const members = node.members.flatMap(({ name }) => (name ? [name.getText()] : []))
      const has = (name: string) => members.includes(name)
      return has('got') || (has('done') && ['total', 'of', 'offer'].some(has))
        ? members.join(', ')
        : undefined
    },
  )

/** Thread protocols: files that begin a thread, since each speaks with it in its own way. */
export const threadProtocols = (sources: readonly Source[]): readonly string[] =>
  placesIn(sources, (node) =>
    ts.isNewExpression(node) && node.expression.getText() === 'Worker' ? 'new Worker' : undefined,
  )

/** HTTP stacks: packages from which a client comes, each once, and files that open sockets. The session bus is no HTTP. */
export const httpStacks = (sources: readonly Source[]): readonly string[] => {
  const clients = main(sources).filter(({ path }) => !path.startsWith('src-main/shell/desktop/'))
  const onSockets = clients.filter((source) =>
    source.tree.statements.some(
      (node) =>
        ts.isImportDeclaration(node) &&
        !isOfTypes(node) &&
        /^.node:(net|tls).$/.test(node.moduleSpecifier.getText()) &&
        opensSockets(source, node.importClause),
    ),
  )
  return [
    ...packagesOf(clients, /^(undici|node:https?|https?)$/),
    ...onSockets.map(({ path }) => `${path}:1 a socket`),
  ]
}

function opensSockets({ tree }: Source, clause: ts.ImportClause | undefined): boolean {
  if (/\b(?:connect|Socket)\b/.test(clause?.namedBindings?.getText() ?? '')) return true
  const whole = clause?.name?.text
  return (
    whole !== undefined && new RegExp(`\\b${whole}\\.(?:connect|Socket|createConnection)\\b`).test(tree.text)
  )
}

/** SQL layers: folders that import DuckDB, each once. */
export function sqlLayers(sources: readonly Source[]): readonly string[] {
  const folders = main(sources).flatMap((source) =>
    packagesOf([source], /^@duckdb\//, true).map(() => source.path.split('/').slice(0, -1).join('/')),
  )
  return [...new Set(folders)]
}

const isOfTypes = ({ importClause }: ts.ImportDeclaration): boolean =>
  importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword

function packagesOf(sources: readonly Source[], wanted: RegExp, withTypes = false): readonly string[] {
  const found = new Map<string, string>()
  for (const source of sources)
    for (const node of source.tree.statements) {
      if (!ts.isImportDeclaration(node) || (!withTypes && isOfTypes(node))) continue
      const name = ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : ''
      if (wanted.test(name) && !found.has(name)) found.set(name, placeOf(source, node, name))
    }
  return [...found.values()]
}
