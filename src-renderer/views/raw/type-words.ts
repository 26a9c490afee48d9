import type { RawType } from '#shared/api/raw-columns.ts'

export const typeWords: Readonly<Record<RawType, string>> = {
  request: 'Request',
  response: 'Response',
  direct: 'Direct',
}
