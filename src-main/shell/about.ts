import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { arch, homedir, release, type } from 'node:os'
import { join } from 'node:path'
import type { App } from 'electron'
import * as v from 'valibot'
import type { FailureKind } from '#shared/api/failure.ts'
import type { About } from '#shared/app/state.ts'
import { failureWords } from '#shared/texts/formats.ts'
import { codeOf } from '#main/lib/error-code.ts'
import { withoutSecrets } from './log.ts'

const description = v.object({ commit: v.optional(v.nullable(v.string()), null) })

/**
 * Returns the source commit: from the package, or from git in a checkout. A trailing `+` means that files were modified. Null
 * if unknown.
 * @param folder the app's folder
 */
export function commitOf(folder: string, packaged: boolean): string | null {
  try {
    if (packaged)
      return v.parse(description, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).commit
    // Captures git's errors, so that they are not printed.
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return null
  }
}

/** Formats the versions of the runtime. */
export const runtimeWords = ({ electron, chrome, node }: NodeJS.ProcessVersions): string =>
  `Electron ${electron ?? '–'}, Chromium ${chrome ?? '–'}, Node ${node}`

/** Formats a version with its commit. */
export const versionWords = (version: string, commit: string | null): string =>
  commit === null ? version : `${version}, commit ${commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, '$1')}`

/** Output of `--version`. */
export const versionAnswer = (version: string, commit: string | null, runtime: string): string =>
  [
    `Traffic Desk ${versionWords(version, commit)}`,
    runtime,
    'Licences are in the files beside the program. Those of its packages are under Help, About.',
    '',
  ].join('\n')

/** Prints the output of `--version` and exits, before the app needs a screen, a profile folder or the instance lock. */
export function answerVersion(app: Pick<App, 'getVersion' | 'exit'>, commit: () => string | null): void {
  if (!process.argv.includes('--version')) return
  process.stdout.write(versionAnswer(app.getVersion(), commit(), runtimeWords(process.versions)))
  app.exit()
}

/** Number of items per state. */
export type StateCounts = Readonly<Record<string, number>>

/** Counts of saved data, and failures by kind, without names. */
export type DiagnosticCounts = {
  /** Saved days, counted per table. */
  readonly days: number
  readonly views: number
  readonly reports: StateCounts
  readonly downloads: StateCounts
  readonly failures: readonly Failed[]
}

/** Number of items in a failed state. `unclear`: it is unknown whether the service accepted the request. */
export type Failed = {
  readonly what: 'Downloads' | 'Raw requests' | 'Exports'
  readonly kind: FailureKind | 'unclear'
  readonly count: number
}

type ReportedFacts = Pick<About, 'version' | 'commit' | 'runtime' | 'system'> & {
  /** Names of the accounts, which are removed from the text. */
  readonly accounts: readonly string[]
  /** Null if the store does not respond. */
  readonly diagnostics: DiagnosticCounts | null
  /** Current notices, without names. */
  readonly notices: readonly string[]
  /** Tolerated errors in responses, by account number; omitted if none. */
  readonly forgiven?: readonly string[]
  /** Time of the report, in ms since 1970. */
  readonly now: number
}

/** Maximum length of the log in a report, in characters. The end of the log is the most useful part. */
const MAX_LOG = 60_000

/**
 * Writes a problem report as plain text: versions, counts, failures by kind, and the end of the log. Tokens, URL queries and
 * account names are removed; the home folder becomes `~`. The user reads and saves the report; the app never sends it.
 * @param log path of the log file; the rotated file precedes it
 */
export async function problemReport(facts: ReportedFacts, log: string): Promise<string> {
  const lines = [
    `Traffic Desk ${versionWords(facts.version, facts.commit)}`,
    facts.runtime,
    facts.system,
    new Date(facts.now).toISOString(),
    '',
    'Counts',
    `Accounts: ${facts.accounts.length}`,
    ...countLines(facts.diagnostics),
    '',
    'Failures',
    ...orNone(facts.diagnostics?.failures.map(failedWords) ?? []),
    '',
    'Notices',
    ...orNone(facts.notices),
    '',
    ...(facts.forgiven?.length ? ['Forgiven in answers', ...facts.forgiven, ''] : []),
    'Log',
    await endOf(log),
  ]
  // The home folder first, because an account's name may be part of its path.
  return withoutNames(withoutSecrets(lines.join('\n')).replaceAll(homedir(), '~'), facts.accounts)
}

const orNone = (lines: readonly string[]) => (lines.length === 0 ? ['none'] : lines)

function countLines(diagnostics: DiagnosticCounts | null): readonly string[] {
  if (diagnostics === null) return ["Can't count what is saved."]
  const byState = (counts: StateCounts) => {
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return [`${all}`, ...Object.entries(counts).map(([state, count]) => `${count} ${state}`)].join(', ')
  }
  return [
    `Saved days: ${diagnostics.days}`,
    `Views: ${diagnostics.views}`,
    `Raw reports: ${byState(diagnostics.reports)}`,
    `Downloads: ${byState(diagnostics.downloads)}`,
  ]
}

const failedWords = ({ what, kind, count }: Failed): string => {
  const words = kind === 'unclear' ? 'No answer came, and no report either' : failureWords[kind].title
  return `${what}: ${count} × ${words} (${kind})`
}

/**
 * Replaces account names by numbers. The app does not log names, but an error may quote one, and earlier versions logged them.
 * Names of one or two letters would match everywhere.
 */
function withoutNames(text: string, names: readonly string[]): string {
  const longestFirst = names
    .map((name, place) => ({ name, place }))
    .filter(({ name }) => name.length > 2)
    .toSorted((one, other) => other.name.length - one.name.length)
  return longestFirst.reduce((left, { name, place }) => left.replaceAll(name, `account ${place + 1}`), text)
}

/** Returns the versions and the problem report (`problemReport`). */
export async function aboutNow(
  app: {
    readonly version: string
    readonly runtime: string
    readonly commit: () => string | null
    readonly logFile: string
  },
  facts: Pick<ReportedFacts, 'accounts' | 'diagnostics' | 'notices' | 'forgiven' | 'now'>,
): Promise<About> {
  const { version, runtime } = app
  const what = { version, runtime, commit: app.commit(), system: `${type()} ${release()}, ${arch()}` }
  return { ...what, problemReport: await problemReport({ ...facts, ...what }, app.logFile) }
}

/** Reads the end of the log, including the rotated file. */
async function endOf(log: string): Promise<string> {
  // In this order: a file rotated between the two reads is long enough by itself.
  const text = await textOf(log)
  if (text === null) return 'It cannot be read.'
  const rotated = await textOf(`${log}.old`)
  const all = `${rotated ?? ''}${text}`.trimEnd()
  if (all === '') return 'empty'
  return all.length <= MAX_LOG ? all : all.slice(all.indexOf('\n', all.length - MAX_LOG) + 1)
}

/** Reads a file; null if the file is unreadable. */
async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    // No file yet.
    return codeOf(error) === 'ENOENT' ? '' : null
  }
}
