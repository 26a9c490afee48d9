import type { Target } from './target.ts'
export async function polling(): Promise<readonly Target[]> {
  return []
}
