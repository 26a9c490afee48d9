/**
 * Lies beside the fallback runtime and is loaded into each of its processes by NODE_OPTIONS: there `better-sqlite3`
 * means the build made for that runtime. The one among the project's packages needs a newer Node-API.
 */
const Module = require('node:module')
const { join } = require('node:path')

const folder = join(__dirname, 'modules', 'node_modules')
const resolveFilename = Reflect.get(Module, '_resolveFilename')

/**
 * @this {unknown}
 * @param {string} request
 * @param {...unknown} rest
 */
function resolveFromHere(request, ...rest) {
  const wanted = request === 'better-sqlite3' ? join(folder, request) : request
  return Reflect.apply(resolveFilename, this, [wanted, ...rest])
}

Reflect.set(Module, '_resolveFilename', resolveFromHere)
