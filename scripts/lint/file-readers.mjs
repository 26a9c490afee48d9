/** Functions of the engine that read files, and look for columns in the names of folders unless they are told not to. */
const readers = /\b(?:read_parquet|parquet_scan|read_csv(?:_auto)?|read_(?:nd)?json(?:_auto)?)\s*\(/gi

const partitioningOff = /\bhive_partitioning\s*=\s*false\b/i

/**
 * The readers in a statement that would take a folder called `name=value` for a column: its value would stand in every row.
 * @param {string} sql what is put into it may stand as anything without brackets
 * @returns {string[]} the beginning of each
 */
export function hiveReaders(sql) {
  return [...sql.matchAll(readers)].flatMap((found) => {
    const from = found.index + found[0].length
    return partitioningOff.test(sql.slice(from, endOfCall(sql, from))) ? [] : [found[0]]
  })
}

/**
 * Where the bracket closes that was opened just before.
 * @param {string} sql
 * @param {number} from
 */
function endOfCall(sql, from) {
  let open = 1
  for (let place = from; place < sql.length; place += 1) {
    if (sql[place] === '(') open += 1
    if (sql[place] === ')') open -= 1
    if (open === 0) return place
  }
  return sql.length
}

/** The rule for the linters: every text and template. */
export const fileReadersRule = {
  meta: { type: /** @type {const} */ ('problem'), schema: [] },
  /** @param {import('eslint').Rule.RuleContext} context */
  create(context) {
    /**
     * @param {import('estree').Node} node
     * @param {string} sql
     */
    const check = (node, sql) => {
      for (const reader of hiveReaders(sql))
        context.report({
          node,
          message: `${reader}…) without hive_partitioning = false takes folders for columns.`,
        })
    }
    return {
      /** @param {import('estree').Literal} node */
      Literal: (node) => {
        if (typeof node.value === 'string') check(node, node.value)
      },
      /** @param {import('estree').TemplateLiteral} node */
      TemplateLiteral: (node) => check(node, node.quasis.map(({ value }) => value.raw).join('?')),
    }
  },
}
