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
