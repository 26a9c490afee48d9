import type { Code, Source } from './code.ts'

/** Lines of a text that ends with one. */
const linesOf = ({ text }: Source): number => text.split('\n').length - 1

/** Lines of all files, as they lie on the disk. */
export const lines = (sources: readonly Source[]): number =>
  sources.reduce((sum, source) => sum + linesOf(source), 0)

/**
 * Unit tests that test no file of their name: `test/src-main/a/b.test.ts` tests `src-main/a/b`, with any ending, and so does
 * `b.kills.test.ts`, which tests one thing of it.
 */
export function testsWithoutSource({ sources, tests }: Pick<Code, 'sources' | 'tests'>): readonly string[] {
  const named = new Set(sources.map(({ path }) => path.replace(/(\.svelte)?\.ts$|\.svelte$/, '')))
  return tests
    .filter((path) => {
      const whole = path.replace(/^test\//, '').replace(/\.test\.ts$/, '')
      return !named.has(whole) && !named.has(whole.replace(/\.[a-z0-9-]+$/, ''))
    })
    .map((path) => `${path}:1 no source of its name`)
}

/** Unit tests with the name and the path of their source, in whole percent, rounded down. */
export function testsNamed(code: Pick<Code, 'sources' | 'tests'>): number {
  const others = testsWithoutSource(code).length
  return Math.floor((100 * (code.tests.length - others)) / Math.max(code.tests.length, 1))
}
