import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** `imports` of package.json: `#main/*` to `./src-main/*` and the like. @type {{ readonly imports: Readonly<Record<string, string>> }} */
const { imports } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'))

const folders = Object.entries(imports).map(([alias, folder]) => [
  alias.slice(0, -'*'.length),
  posix.normalize(folder.slice(0, -'*'.length)),
])

/**
 * The file of this project that an import names, relative to the project; undefined for a package.
 * @param {string} file the importing file, relative to the project, with `/`
 * @param {string} specifier
 * @returns {string | undefined}
 */
export function importedFile(file, specifier) {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(file), specifier)
  for (const [alias = '', folder = ''] of folders)
    if (specifier.startsWith(alias)) return posix.join(folder, specifier.slice(alias.length))
  return undefined
}
