import { relative, sep } from 'node:path'
import { importedFile } from '../common/aliases.mjs'
import { fileReadersRule } from './file-readers.mjs'
import { scopeWritesRule } from './scope-writes.mjs'

/**
 * The rules between modules: which modules and packages each may import. A module is the longest of these paths that a file
 * lies in; whatever is not listed is refused, so a new dependency is a decision made here.
 * @type {Readonly<Record<string, { modules: readonly string[], packages: readonly string[] }>>}
 */
export const modules = {
  'src-shared': { modules: [], packages: ['ipaddr.js', 'valibot'] },
  'src-preload': { modules: ['src-shared'], packages: ['electron'] },
  /** The user's guide is opened inside the app too. */
  'docs/guide': { modules: [], packages: [] },
  'src-renderer': {
    modules: ['src-shared', 'docs/guide'],
    packages: [
      'svelte',
      'bits-ui',
      '@internationalized/date',
      'chart.js',
      '@tanstack/svelte-query',
      '@tanstack/svelte-virtual',
    ],
  },
  /** What every module of the main process may call, and which calls none of them. */
  'src-main/lib': { modules: ['src-shared'], packages: ['@internationalized/date', 'p-queue', 'node:'] },
  /** How the main process and its workers call each other. */
  'src-main/workers': { modules: ['src-shared'], packages: ['node:'] },
  /** What the files of SQLite share: for whoever has one. */
  'src-main/database/sqlite': { modules: ['src-shared'], packages: ['better-sqlite3', 'node:', 'valibot'] },
  /** Names that are safe, files that are whole before they have theirs, words for a disk that refuses, the reader of ZIPs. */
  'src-main/files': { modules: ['src-shared'], packages: ['yauzl', 'node:'] },
  /** DuckDB, and the files that it reads and writes: named by their checksum, and never changed. */
  'src-main/analytics': { modules: ['src-shared'], packages: ['@duckdb/node-api', 'valibot', 'node:'] },
  'src-main/api': { modules: ['src-shared'], packages: ['undici', 'valibot', 'node:'] },
  /** Files of hosts that the service or a feed names: without token, and no nearer than they are. */
  'src-main/fetching': { modules: ['src-shared', 'src-main/api'], packages: ['undici', 'node:'] },
  'src-main/database/state': {
    // Episodes are stored as the detector returns them.
    modules: ['src-shared', 'src-main/database/sqlite', 'src-main/watch/detector'],
    packages: ['valibot', 'node:'],
  },
  /** The thread that has both files open. */
  'src-main/database': {
    modules: [
      'src-shared',
      'src-main/database/sqlite',
      'src-main/database/state',
      'src-main/database/cache',
      // Where figures and rows lie that go with their account.
      'src-main/analytics',
    ],
    packages: ['node:'],
  },
  'src-main/accounts': {
    modules: ['src-shared', 'src-main/api', 'src-main/database/state'],
    packages: ['keytar', 'valibot', 'node:'],
  },
  'src-main/database/cache': {
    modules: [
      'src-shared',
      'src-main/database/sqlite',
      // The type of both stores, which share one thread.
      'src-main/database/state',
      // The catalogue names files of the history.
      'src-main/analytics',
    ],
    packages: ['valibot', 'node:'],
  },
  'src-main/reports': {
    modules: [
      'src-shared',
      'src-main/analytics',
      'src-main/database/sqlite',
      'src-main/api',
      'src-main/database/cache',
      'src-main/accounts',
      // Notes of restatements are in state, because the service cannot repeat them.
      'src-main/database/state',
      // For the number of calls that one view may take.
      'src-main/settings',
      // Alerts are judged where the rows are read.
      'src-main/watch/judging',
    ],
    packages: ['@duckdb/node-api', 'valibot', 'node:'],
  },
  /** Copies the history of an account to a shared folder. */
  'src-main/publishing': {
    modules: [
      'src-shared',
      'src-main/accounts',
      // How files of the history are named, and read whole.
      'src-main/analytics',
      'src-main/reports',
      // The catalogue of the files.
      'src-main/database/cache',
      // Where history is published.
      'src-main/database/state',
    ],
    packages: ['valibot', 'node:'],
  },
  'src-main/saved-views': {
    modules: [
      'src-shared',
      'src-main/api',
      'src-main/database/state',
      // Which views were looked at: as disposable as the figures that are fetched for them.
      'src-main/database/cache',
      'src-main/accounts',
      'src-main/reports',
      // Views are named as exports are.
      'src-main/exports',
      // How much may be stored, and where files are put: read at the moment it is needed.
      'src-main/settings',
    ],
    packages: ['valibot', 'node:'],
  },
  'src-main/exports': {
    modules: [
      'src-shared',
      'src-main/api',
      'src-main/accounts',
      'src-main/reports',
      // Where files are put: read at the moment it is needed.
      'src-main/settings',
    ],
    packages: ['@cj-tech-master/excelts', 'valibot', 'node:'],
  },
  'src-main/raw': {
    modules: [
      'src-shared',
      'src-main/api',
      'src-main/fetching',
      'src-main/database/state',
      'src-main/accounts',
      // What is saved, announced and where: read at the moment it is needed.
      'src-main/settings',
    ],
    packages: ['valibot', 'node:'],
  },
  'src-main/archives': {
    modules: [
      'src-shared',
      'src-main/accounts',
      'src-main/analytics',
      'src-main/reports',
      // The catalogue of what is imported.
      'src-main/database/cache',
      // What recounts came to cannot be asked for again.
      'src-main/database/state',
      'src-main/raw',
      'src-main/exports',
      'src-main/settings',
    ],
    packages: ['@duckdb/node-api', 'jschardet', 'valibot', 'node:'],
  },
  /** Evidence: figures, rows and raw reports, sealed together. */
  'src-main/cases': {
    modules: [
      'src-shared',
      'src-main/accounts',
      'src-main/analytics',
      'src-main/reports',
      'src-main/database/state',
      'src-main/raw',
      'src-main/exports',
      'src-main/archives',
      'src-main/settings',
    ],
    packages: ['valibot', 'yazl', 'node:'],
  },
  /** What the user notes on days. */
  'src-main/watch/notes': {
    modules: ['src-shared', 'src-main/accounts', 'src-main/database/state'],
    packages: ['node:'],
  },
  /** Alerts as entered, what they found, and how it is announced. */
  'src-main/watch/findings': {
    modules: ['src-shared', 'src-main/accounts', 'src-main/database/state'],
    packages: ['valibot', 'node:'],
  },
  /** What got worse: a pure function of stored figures. */
  'src-main/watch/detector': { modules: ['src-shared'], packages: [] },
  /** What of that is news to an alert: pure too, for the engine's process. */
  'src-main/watch/judging': { modules: ['src-shared', 'src-main/watch/detector'], packages: [] },
  /** Alerts: when figures are judged, and what is stored of it. */
  'src-main/watch/alerts': {
    modules: [
      'src-shared',
      'src-main/accounts',
      'src-main/database/state',
      'src-main/reports',
      // When the next day begins.
      'src-main/saved-views',
      'src-main/watch/detector',
      'src-main/watch/judging',
    ],
    packages: ['node:'],
  },
  /** Files that are made by the clock. */
  'src-main/watch/schedules': {
    modules: [
      'src-shared',
      'src-main/accounts',
      'src-main/database/state',
      'src-main/exports',
      'src-main/reports',
      // Which figures a view needs.
      'src-main/saved-views',
      // Where files are put: read at the moment it is needed.
      'src-main/settings',
    ],
    packages: ['valibot', 'node:'],
  },
  'src-main/updates': {
    modules: [
      'src-shared',
      'src-main/api',
      // What was looked for last, and announced.
      'src-main/database/state',
      // Feeds are fetched as archives are.
      'src-main/fetching',
    ],
    packages: ['valibot', 'node:'],
  },
  /** One ZIP of state and history. */
  'src-main/backup': {
    modules: [
      'src-shared',
      'src-main/database',
      'src-main/database/sqlite',
      'src-main/database/state',
      'src-main/database/cache',
      // How files of the history are named.
      'src-main/analytics',
      // Where files are saved.
      'src-main/settings',
    ],
    packages: ['yazl', 'valibot', 'node:'],
  },
  'src-main/settings': {
    modules: ['src-shared', 'src-main/database/cache', 'src-main/database/state'],
    packages: ['valibot', 'node:'],
  },
  'src-main/lock': { modules: ['src-shared', 'src-main/accounts'], packages: ['valibot', 'node:'] },
  'src-main/sandbox': { modules: ['src-shared'], packages: ['yazl', 'valibot', 'node:'] },
  'src-main/shell': {
    modules: ['src-shared', 'src-main/database/state'],
    packages: ['electron', 'dbus-native', 'valibot', 'node:'],
  },
  'src-main/bridge': {
    modules: [
      'src-shared',
      'src-main/api',
      'src-main/database/state',
      'src-main/accounts',
      'src-main/reports',
    ],
    packages: ['electron', 'valibot', 'node:'],
  },
  /** The composition root joins everything. */
  'src-main': {
    modules: [
      'src-shared',
      'src-main/api',
      'src-main/database',
      'src-main/database/sqlite',
      'src-main/database/state',
      'src-main/database/cache',
      'src-main/backup',
      'src-main/fetching',
      'src-main/accounts',
      'src-main/analytics',
      'src-main/reports',
      'src-main/publishing',
      'src-main/saved-views',
      'src-main/exports',
      'src-main/raw',
      'src-main/archives',
      'src-main/cases',
      'src-main/watch/notes',
      'src-main/watch/alerts',
      'src-main/watch/findings',
      'src-main/watch/schedules',
      'src-main/settings',
      'src-main/updates',
      'src-main/lock',
      'src-main/sandbox',
      'src-main/shell',
      'src-main/bridge',
    ],
    packages: ['electron', 'node:'],
  },
}

/** Modules that every other one of the main process may import. */
const everybodys = new Set(['src-main/lib', 'src-main/files', 'src-main/workers'])

const byLength = Object.keys(modules).sort((a, b) => b.length - a.length)

/**
 * The module that a path lies in.
 * @param {string} path relative to the project, with `/` between folders
 */
export function moduleOf(path) {
  return byLength.find((module) => path.startsWith(`${module}/`))
}

/**
 * What is wrong with an import, in words; undefined where it is allowed.
 * @param {string} file the importing file, relative to the project, with `/`
 * @param {string} specifier what it imports
 * @returns {string | undefined}
 */
export function refusal(file, specifier) {
  const from = moduleOf(file)
  if (from === undefined) return undefined
  const allowed = modules[from]
  const target = importedFile(file, specifier)
  if (target !== undefined) {
    const to = moduleOf(target)
    if (to === from || (to && allowed?.modules.includes(to))) return undefined
    if (to && everybodys.has(to) && from.startsWith('src-main')) return undefined
    return `${from} may not import ${to ?? target}.`
  }
  const fits = allowed?.packages.some(
    (each) => specifier === each || specifier.startsWith(each.endsWith(':') ? each : `${each}/`),
  )
  return fits ? undefined : `${from} may not import the package ${specifier}.`
}

/** The rule for the linters: every import and export from elsewhere, static or dynamic, types too. */
const modulesRule = {
  meta: { type: /** @type {const} */ ('problem'), schema: [] },
  /** @param {import('eslint').Rule.RuleContext} context */
  create(context) {
    const file = relative(context.cwd, context.filename).split(sep).join('/')
    /** @param {import('estree').Node & { source?: import('estree').Node | null }} node */
    const check = (node) => {
      const source = node.source
      if (source?.type !== 'Literal' || typeof source.value !== 'string') return
      const message = refusal(file, source.value)
      if (message) context.report({ node, message })
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    }
  },
}

/** The form in which oxlint and ESLint both take it. */
export default {
  meta: { name: 'desk' },
  rules: { modules: modulesRule, 'file-readers': fileReadersRule, 'scope-writes': scopeWritesRule },
}
