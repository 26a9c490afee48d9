import { expect, it } from 'vitest'
import type { RowOrder } from '#main/reports/requests/report-calls.ts'
import { RowOrders } from '#main/reports/requests/row-orders.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { refused } from '../sync/answered-pages.ts'

const account = '11111111-1111-4111-8111-111111111111' as AccountId

/** A service that refuses some orders. */
function service() {
  const orders = new RowOrders()
  const refusing = new Set<RowOrder>()
  let kind: FailureKind = 'bad-request'
  const asked: RowOrder[] = []
  const ask = async (wanted: readonly RowOrder[], first: 0 | 1 = 0, of = account) => {
    asked.length = 0
    const { order } = await orders.ask({ account: of, first, orders: wanted }, async (order) => {
      asked.push(order)
      if (refusing.has(order)) throw refused(kind)
    })
    return order
  }
  return { ask, asked, refusing, fail: (next: FailureKind) => (kind = next) }
}

it('asks once in an order that is taken, and once without one where none is wanted', async () => {
  const { ask, asked } = service()
  expect(await ask(['by-label', 'label-last'])).toBe('by-label')
  expect(await ask([])).toBe('by-sort')
  expect(asked).toEqual(['by-sort'])
})

it('tries the next where one is refused, and that one no more: of this account and numbering', async () => {
  const { ask, asked, refusing } = service()
  refusing.add('label-last')
  expect(await ask(['label-last'])).toBe('by-sort')
  expect(asked).toEqual(['label-last', 'by-sort'])
  expect(await ask(['label-last'])).toBe('by-sort')
  expect(asked).toEqual(['by-sort'])
  await ask(['label-last'], 1)
  expect(asked).toEqual(['label-last', 'by-sort'])
  await ask(['label-last'], 0, '22222222-2222-4222-8222-222222222222' as AccountId)
  expect(asked).toEqual(['label-last', 'by-sort'])
})

it('does not blame the order for what is refused in any', async () => {
  const { ask, asked, refusing } = service()
  refusing.add('label-last').add('by-sort')
  await expect(ask(['label-last'])).rejects.toMatchObject({ failure: { kind: 'bad-request' } })
  refusing.clear()
  expect(await ask(['label-last'])).toBe('label-last')
  // It was taken a moment ago.
  refusing.add('label-last').add('by-sort')
  await expect(ask(['label-last'])).rejects.toMatchObject({ failure: { kind: 'bad-request' } })
  expect(asked).toEqual(['label-last'])
  // The service may have changed.
  refusing.delete('by-sort')
  expect(await ask(['label-last'])).toBe('by-sort')
})

it('does not ask again where nothing was refused', async () => {
  const { ask, asked, refusing, fail } = service()
  refusing.add('label-last')
  fail('offline')
  await expect(ask(['label-last'])).rejects.toMatchObject({ failure: { kind: 'offline' } })
  expect(asked).toEqual(['label-last'])
})
