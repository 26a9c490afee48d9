/**
 * Loaded into the main process before the app: says on standard error of which scripts V8 took the code cache, and of which
 * not. With CODE_CACHE=damaged it is given half of each.
 */
const vm = require('node:vm')
const { basename } = require('node:path')

vm.Script = class extends vm.Script {
  /**
   * @param {string} source
   * @param {vm.ScriptOptions | string} [options]
   */
  constructor(source, options) {
    const given = typeof options === 'object' ? options : { filename: options }
    const { cachedData } = given
    const isDamaged = process.env['CODE_CACHE'] === 'damaged' && cachedData
    super(source, isDamaged ? { ...given, cachedData: firstHalf(cachedData) } : given)
    const { cachedDataRejected } = this
    const taken = cachedDataRejected === undefined ? 'missing' : cachedDataRejected ? 'rejected' : 'taken'
    process.stderr.write(`Code cache of ${basename(given.filename ?? '')}: ${taken}\n`)
  }
}

/** @param {NodeJS.ArrayBufferView} data */
const firstHalf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, Math.floor(byteLength / 2))
