import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { relative, resolve, sep } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')
const counted = [`src-main${sep}`, `src-shared${sep}`]
const left = `src-main${sep}sandbox${sep}`

/** Says which of the project's modules a thread has entered since the last time: a function of theirs has run. */
export type Coverage = { readonly entered: () => Promise<readonly string[]> }

/** Begins to count in this thread (V8's precise coverage). */
export async function startCoverage(): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  return {
    entered: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage')
      return result
        .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
        .flatMap(({ url }) => nameOf(url) ?? [])
        .sort()
    },
  }
}

/** A module by its path in the project; undefined for what is none of ours, and for the stand-in service. */
function nameOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  const path = relative(root, fileURLToPath(url))
  return counted.some((each) => path.startsWith(each)) && !path.startsWith(left) ? path : undefined
}
