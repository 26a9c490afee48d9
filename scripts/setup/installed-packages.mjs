/**
 * @typedef {{ version?: string, resolved?: string, integrity?: string, optional?: boolean, link?: boolean }} LockEntry
 * @typedef {{ packages?: Record<string, LockEntry> }} Lock
 */

/**
 * Whether what npm says it installed is what the lock file asks for. npm writes its own record at the very end,
 * so an interrupted installation is seen too.
 *
 * @param {Lock} wanted package-lock.json
 * @param {Lock} installed node_modules/.package-lock.json
 * @returns {string[]} the folders of packages that are missing or of another version; optional ones may be missing
 */
export function outdatedPackages(wanted, installed) {
  const present = installed.packages ?? {}
  return Object.entries(wanted.packages ?? {})
    .filter(([folder, entry]) => {
      if (folder === '') return false
      const found = present[folder]
      if (found === undefined) return entry.optional !== true
      return found.version !== entry.version || found.integrity !== entry.integrity
    })
    .map(([folder]) => folder)
}
