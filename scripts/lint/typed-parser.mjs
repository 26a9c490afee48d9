import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import * as svelteParser from 'svelte-eslint-parser'
import ts from 'typescript'
import tseslint from 'typescript-eslint'
import svelteConfig from '../../svelte.config.js'

/**
 * What the parser is given, as far as it is read here.
 * @typedef {{ filePath?: string, project?: string, tsconfigRootDir?: string }} Options
 */

/** Its declaration leaves the options out. */
const parser = /** @type {{ parseForESLint: (code: string, options: object) => { ast: unknown } }} */ (
  tseslint.parser
)

/** ESLint on the command line looks at each file once, as it lies on the disk. In an editor both go on changing. */
const looksOnce = /[/\\](\.bin[/\\]eslint|eslint\.js)$/.test(process.argv[1] ?? '')

/** The window's project, the only one with components. @type {ts.Program | undefined} */
let windowProgram

/**
 * Parses components and modules with runes with their types, all out of one program of TypeScript. On its own
 * typescript-eslint makes one for modules, with the project's tests, and for each component another one, since ESLint
 * looks at the script and the template of a component as TypeScript that does not lie on the disk.
 */
export const typedParser = {
  ...parser,
  /**
   * @param {string} code
   * @param {Options} options
   */
  parseForESLint(code, options) {
    const program = looksOnce && options.filePath ? programFor(options) : undefined
    // While ESLint repairs a file it parses what is not on the disk yet.
    const isKnown = options.filePath && program?.getSourceFile(options.filePath)?.text === code
    return parser.parseForESLint(
      code,
      isKnown ? { ...options, project: undefined, programs: [program] } : options,
    )
  },
}

/** @param {Options} options */
function programFor(options) {
  const { project, tsconfigRootDir = '' } = options
  if (project) windowProgram ??= programOf(join(tsconfigRootDir, project), options)
  return project ? windowProgram : undefined
}

/**
 * @param {string} project
 * @param {Options} options
 */
function programOf(project, options) {
  const host = {
    ...ts.sys,
    /** @param {ts.Diagnostic} trouble */
    onUnRecoverableConfigFileDiagnostic: (trouble) => {
      throw new Error(ts.flattenDiagnosticMessageText(trouble.messageText, '\n'))
    },
  }
  const components = { extension: '.svelte', isMixedContent: true, scriptKind: ts.ScriptKind.Deferred }
  const config = ts.getParsedCommandLineOfConfigFile(project, {}, host, undefined, undefined, [components])
  if (!config || config.errors.length > 0) throw new Error(`${project} cannot be read.`)
  const compiler = ts.createCompilerHost({ ...config.options, allowNonTsExtensions: true }, true)
  const { getSourceFile } = compiler
  compiler.getSourceFile = (file, ...rest) =>
    /\.svelte(\.ts)?$/.test(file)
      ? ts.createSourceFile(file, scriptOf(file, options), rest[0], true, ts.ScriptKind.TS)
      : getSourceFile(file, ...rest)
  const sources = config.fileNames.filter((file) => /^src-/.test(relative(dirname(project), file)))
  return ts.createProgram(sources, { ...config.options, allowNonTsExtensions: true }, compiler)
}

/**
 * The TypeScript that ESLint looks at for a component, or for a module with runes.
 * @param {string} file
 * @param {Options} options
 */
function scriptOf(file, options) {
  let script = ''
  const listening = {
    ...parser,
    /**
     * @param {string} code
     * @param {object} given
     */
    parseForESLint(code, given) {
      script = code
      return parser.parseForESLint(code, given)
    },
  }
  const untyped = { ...options, svelteConfig, filePath: file, project: undefined, parser: listening }
  try {
    svelteParser.parseForESLint(readFileSync(file, 'utf8'), untyped)
  } catch {
    // What cannot be parsed is named where it is looked at itself.
  }
  return script
}
