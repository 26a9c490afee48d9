import type { Page } from 'playwright-core'

/** Clicks so often on a link to one address after the other: milliseconds from each click to the painted answer. */
export function clickTimes(page: Page, addresses: readonly string[], clicks: number): Promise<number[]> {
  return page.evaluate(
    async (asked) => {
      const measured: number[] = []
      const link = document.createElement('a')
      link.textContent = 'Measured link'
      document.body.append(link)
      for (let click = 0; click < asked.clicks; click += 1) {
        link.href = asked.addresses[click % asked.addresses.length] ?? ''
        performance.clearMarks('answer-painted')
        const painted = new Promise<number>((resolve) => {
          new PerformanceObserver((list, observer) => {
            const mark = list.getEntriesByName('answer-painted')[0]
            if (!mark) return
            observer.disconnect()
            resolve(mark.startTime)
          }).observe({ entryTypes: ['mark'] })
        })
        const clicked = performance.now()
        link.click()
        measured.push((await painted) - clicked)
      }
      link.remove()
      return measured
    },
    { addresses, clicks },
  )
}
