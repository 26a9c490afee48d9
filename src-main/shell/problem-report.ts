import { readFile } from 'node:fs/promises'
import { arch, homedir, release, type } from 'node:os'
import type { About } from '../../src-shared/desk/about.ts'
import { withoutSecrets } from './log.ts'
import { versionWords } from './version.ts'

export type ReportedFacts = Pick<About, 'version' | 'commit' | 'runtime' | 'system'> & {
  readonly accounts: number
  /** What the window tells at the moment. */
  readonly notices: readonly string[]
  /** When it is written, in milliseconds since 1970. */
  readonly now: number
}

/** The end of the log says what went wrong; all of it would be more than anybody reads. In characters. */
const MOST_LOG = 60_000

/**
 * What helps whoever looks into a problem, as plain text: versions, counts, and the end of the log. Without tokens, without queries of
 * addresses, and with the home folder as `~`. It is shown and saved by the person; nothing sends it.
 * @param log the log's file; one that cannot be read is said. What was put aside as it grew stands before it
 */
export async function problemReport(facts: ReportedFacts, log: string): Promise<string> {
  const lines = [
    `Traffic Desk ${versionWords(facts.version, facts.commit)}`,
    facts.runtime,
    facts.system,
    new Date(facts.now).toISOString(),
    `Accounts: ${facts.accounts}`,
    '',
    'Notices',
    ...(facts.notices.length === 0 ? ['none'] : facts.notices),
    '',
    'Log',
    await endOf(log),
  ]
  return withoutSecrets(lines.join('\n')).replaceAll(homedir(), '~')
}

/** What runs here, and the report of a problem with it (`problemReport`). */
export async function aboutNow(
  app: {
    readonly version: string
    readonly runtime: string
    readonly commit: () => string | null
    readonly logFile: string
  },
  facts: Pick<ReportedFacts, 'accounts' | 'notices' | 'now'>,
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
  const aside = await textOf(`${log}.old`)
  const all = `${aside ?? ''}${text}`.trimEnd()
  if (all === '') return 'empty'
  return all.length <= MOST_LOG ? all : all.slice(all.indexOf('\n', all.length - MOST_LOG) + 1)
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
