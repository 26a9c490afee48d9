import type { RawType } from '../../../src-shared/service/raw-columns.ts'

export const typeWords: Readonly<Record<RawType, string>> = {
  request: 'Request',
  response: 'Response',
  direct: 'Direct',
}
