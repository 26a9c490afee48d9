/**
 * Parts a script's own arguments at the first `--`. npm removes one `--` itself, so arguments for the app come
 * with or without it.
 *
 * @param {readonly string[]} given
 * @returns {string[]} what is meant for the app
 */
export function argumentsForTheApp(given) {
  const separator = given.indexOf('--')
  return separator < 0 ? [...given] : [...given.slice(0, separator), ...given.slice(separator + 1)]
}

/**
 * The arguments with which Electron opens the checkout.
 *
 * @param {{ folder: string, root: boolean, rest: readonly string[] }} given `root`: Chromium's sandbox refuses to
 *   run as root, so a developer's machine that works as root goes without. An installed app never does.
 */
export function electronArguments({ folder, root, rest }) {
  const withoutSandbox = root && !rest.includes('--no-sandbox') ? ['--no-sandbox'] : []
  return [folder, ...withoutSandbox, ...rest]
}

/**
 * Adds one `--require` to a NODE_OPTIONS value. Node splits it at spaces, so the path is quoted.
 *
 * @param {string | undefined} existing
 * @param {string} file
 */
export function requireOption(existing, file) {
  const option = `--require="${file.replace(/[\\"]/g, '\\$&')}"`
  return existing ? `${existing} ${option}` : option
}
