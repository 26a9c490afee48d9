import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from 'electron'
import * as v from 'valibot'

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
    'Licences: in the files beside the program, and under Help, About, those of the packages it is built with.',
    '',
  ].join('\n')

/** Answers `--version` and ends, before there is a screen, a profile folder or a second instance. */
export function answerVersion(app: Pick<App, 'getVersion' | 'exit'>, commit: () => string | null): void {
  if (!process.argv.includes('--version')) return
  process.stdout.write(versionAnswer(app.getVersion(), commit(), runtimeWords(process.versions)))
  app.exit()
}
