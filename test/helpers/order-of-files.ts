import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * Begins with the files that take longest, so that no processor waits at the end for one that began last.
 * @param longest ends of their paths, the longest first; the rest follows in Vitest's order
 */
export const longestFirst = (...longest: readonly string[]): typeof BaseSequencer =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const place = ({ moduleId }: TestSpecification) => {
        const found = longest.findIndex((end) => moduleId.endsWith(end))
        return found === -1 ? longest.length : found
      }
      return (await super.sort(files)).sort((one, other) => place(one) - place(other))
    }
  }

/**
 * Spreads files of one project that start processes, and so keep all processors busy alone, evenly among its others:
 * side by side they would slow each other down, and leave processors idle once they have ended.
 * @param busy ends of their paths, the longest first; the rest stays in Vitest's order
 */
export const spread = (...busy: readonly string[]): typeof BaseSequencer =>
  class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files)
      const spreading = busy.flatMap((end) => sorted.filter(({ moduleId }) => moduleId.endsWith(end)))
      const rest = sorted.filter((file) => !spreading.includes(file))
      const others = rest.filter(({ project }) => project === spreading[0]?.project)
      const apart = Math.ceil(others.length / spreading.length)
      const beforeAll = spreading.filter((_, nth) => nth * apart >= others.length)
      return [
        ...beforeAll,
        ...rest.flatMap((file) => [...spreading.filter((_, nth) => others[nth * apart] === file), file]),
      ]
    }
  }
