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
import { withoutSecrets } from './log.ts'

const description = v.object({ commit: v.optional(v.nullable(v.string()), null) })

/**
 * Of which commit of the sources this is: what was written into a package when it was made, in a checkout what git says.
 * A `+` at the end: something was changed since. Null where nobody knows.
 * @param folder the app's
 */
export function commitOf(folder: string, packaged: boolean): string | null {
  try {
    if (packaged)
      return v.parse(description, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).commit
    // What git complains of is nobody's concern here.
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return null
  }
}

/** What the app runs on, in words. */
export const runtimeWords = ({ electron, chrome, node }: NodeJS.ProcessVersions): string =>
  `Electron ${electron ?? '–'}, Chromium ${chrome ?? '–'}, Node ${node}`

/** A version and the commit it was made of, in words. */
export const versionWords = (version: string, commit: string | null): string =>
  commit === null ? version : `${version}, commit ${commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, '$1')}`

/** What `--version` answers. */
export const versionAnswer = (version: string, commit: string | null, runtime: string): string =>
  [
    `Traffic Desk ${versionWords(version, commit)}`,
    runtime,
    'Licences are in the files beside the program. Those of its packages are under Help, About.',
    '',
  ].join('\n')

/** Answers `--version` and ends, before there is a screen, a profile folder or a second instance. */
export function answerVersion(app: Pick<App, 'getVersion' | 'exit'>, commit: () => string | null): void {
  if (!process.argv.includes('--version')) return
  process.stdout.write(versionAnswer(app.getVersion(), commit(), runtimeWords(process.versions)))
  app.exit()
}

/** How many there are in each state. */
export type Counts = Readonly<Record<string, number>>

/** How much there is of everything, and what failed: numbers of kinds, without any name. */
export type Diagnostics = {
  /** Saved days, each table's own counted. */
  readonly days: number
  readonly views: number
  readonly reports: Counts
  readonly downloads: Counts
  readonly failures: readonly Failed[]
}

/** So many of them failed, and stand so still. `unclear`: whether the service took a request is not known. */
export type Failed = {
  readonly what: 'Downloads' | 'Raw requests' | 'Exports'
  readonly kind: FailureKind | 'unclear'
  readonly count: number
}

type ReportedFacts = Pick<About, 'version' | 'commit' | 'runtime' | 'system'> & {
  /** Their names, which are left out of the text. */
  readonly accounts: readonly string[]
  /** Null where what is saved does not answer. */
  readonly diagnostics: Diagnostics | null
  /** What the window tells at the moment, without names. */
  readonly notices: readonly string[]
  /** What was forgiven in answers of services, by the place of an account; left out where nothing was. */
  readonly forgiven?: readonly string[]
  /** When it is written, in milliseconds since 1970. */
  readonly now: number
}

/** The end of the log says what went wrong; all of it would be more than anybody reads. In characters. */
const MAX_LOG = 60_000

/**
 * What helps whoever looks into a problem, as plain text: versions, counts, failures by kind, and the end of the log. Without
 * tokens, queries of addresses and accounts' names, and with the home folder as `~`. It is shown and saved by the person; nothing
 * sends it.
 * @param log the log's file; one that cannot be read is said. What was put aside as it grew stands before it
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
  // The home folder goes first: the name of an account may be a part of its path.
  return withoutNames(withoutSecrets(lines.join('\n')).replaceAll(homedir(), '~'), facts.accounts)
}

const orNone = (lines: readonly string[]) => (lines.length === 0 ? ['none'] : lines)

function countLines(diagnostics: Diagnostics | null): readonly string[] {
  if (diagnostics === null) return ["Can't count what is saved."]
  const byState = (counts: Counts) => {
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
 * Nothing of ours writes an account's name into the log. An error may quote one, and versions before did: accounts are called as
 * clients are. A name of one or two letters would be found everywhere.
 */
function withoutNames(text: string, names: readonly string[]): string {
  const longestFirst = names
    .map((name, place) => ({ name, place }))
    .filter(({ name }) => name.length > 2)
    .toSorted((one, other) => other.name.length - one.name.length)
  return longestFirst.reduce((left, { name, place }) => left.replaceAll(name, `account ${place + 1}`), text)
}

/** What runs here, and the report of a problem with it (`problemReport`). */
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

/** The end of the log, which goes on from the file that was put aside last. */
async function endOf(log: string): Promise<string> {
  // In this order: one that is put aside between the two is long enough to be all that is shown.
  const text = await textOf(log)
  if (text === null) return 'It cannot be read.'
  const rotated = await textOf(`${log}.old`)
  const all = `${rotated ?? ''}${text}`.trimEnd()
  if (all === '') return 'empty'
  return all.length <= MAX_LOG ? all : all.slice(all.indexOf('\n', all.length - MAX_LOG) + 1)
}

/** What a file holds; null where it cannot be read. */
async function textOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    // Nothing was written yet, or nothing put aside.
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? '' : null
  }
}
