/** Calls that tell the data scope that an account has at this moment. */
const presentScopes = new Set(['dataScopeOf', 'scopeTermOf', 'standingOf'])

/** Methods whose callbacks run later than the code around them. */
const later = new Set(['then', 'catch', 'finally'])

/** Operations of the store that write figures. */
const writes = /^(?:answers|tables)\/keep$/

/**
 * A node as far as it is looked at here.
 * @typedef {{
 *   type: string, range?: [number, number], parent?: Node, name?: string, operator?: string, value?: unknown,
 *   callee?: Node, object?: Node, property?: Node, arguments?: Node[], async?: boolean,
 * }} Node
 */

/**
 * What is known of a function while it is walked through.
 * @typedef {{ hasWaited: boolean, hasClient: boolean, asked: Node | null }} Frame
 */

/**
 * The name of the method that a call is of, or of the function.
 * @param {Node} call
 */
const nameOf = ({ callee }) => callee?.property?.name ?? callee?.name ?? ''

/** @param {Node} node whether it runs once something that was waited for has ended */
const isLater = ({ parent }) => parent?.type === 'CallExpression' && later.has(nameOf(parent))

/** @param {Node} node whether it is only compared: then nothing is written under it */
const isCompared = ({ parent }) =>
  parent?.type === 'BinaryExpression' && /^[!=]==$/.test(parent.operator ?? '')

/** @param {Node} call whether it writes figures */
function isWrite(call) {
  const first = call.arguments?.[0]
  if (nameOf(call) === 'run') return typeof first?.value === 'string' && writes.test(first.value)
  return nameOf(call) === 'save' && /(?:answers|history)$/i.test(ownerOf(call))
}

/**
 * Of which object a method is called.
 * @param {Node} call
 */
const ownerOf = ({ callee }) => callee?.object?.property?.name ?? callee?.object?.name ?? ''

/**
 * The rule for the linters. The data scope that an account has after something was waited for may be another one than that of the
 * figures at hand: it may be compared with theirs, and never stands in its place. A function that writes figures has their
 * scope from whoever brought them.
 */
export const scopeWritesRule = {
  meta: { type: /** @type {const} */ ('problem'), schema: [] },
  /** @param {{ report: (found: { node: any, message: string }) => void }} context */
  create(context) {
    /** @type {Frame[]} */
    const frames = []
    const frame = () => frames.at(-1)
    /** @param {Node} node */
    const enter = (node) => void frames.push({ hasWaited: isLater(node), hasClient: false, asked: null })
    const leave = () => void frames.pop()
    const waited = () => {
      const now = frame()
      if (now) now.hasWaited = true
    }
    /** @param {Node} call */
    const look = (call) => {
      const now = frame()
      if (!now) return
      if (nameOf(call) === 'dataScopeClient') now.hasClient = true
      if (presentScopes.has(nameOf(call)) && !isCompared(call)) {
        now.asked = call
        if (now.hasWaited)
          context.report({
            node: call,
            message: `${nameOf(call)} after an await: the data scope may be another one by now.`,
          })
      }
      if (isWrite(call) && now.asked && !now.hasClient)
        context.report({
          node: call,
          message: 'Figures are written under the scope that they were read or asked for under.',
        })
    }
    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      'FunctionDeclaration:exit': leave,
      'FunctionExpression:exit': leave,
      'ArrowFunctionExpression:exit': leave,
      'AwaitExpression:exit': waited,
      CallExpression: look,
    }
  },
}
