import { count, day, fixed, made, moment, oneOf } from './made-table.ts'
import type { MadeColumn, Make } from './made-table.ts'

const analytics = (name: string, make: Make) => made('analytics', name, make)
const visitors: MadeColumn = ['Visitors', count(900), 'number']
const ga = (title: string) => [
  '# ----------------------------------------',
  `# ${title}`,
  '# Account: Harbour',
  '# Property: harbour.example - GA4',
  '# ----------------------------------------',
  '# ',
  '# All Users',
  '# Start date: 20261101',
  '# End date: 20261128',
]

/** Exports of web and product analytics. */
export const analyticsTables = () => [
  analytics('GA4, pages and screens', {
    columns: [
      ['Page path and screen class', (row) => `/shop/${row.pick('pens', 'ink', 'über-uns')}/${row.n}`],
      ['Views', count(900), 'number'],
      ['Average engagement time per active user', fixed(90, 13), 'number'],
      ['Event count', count(9_000), 'number'],
      ['Total revenue', fixed(90), 'number'],
    ],
    before: ga('Pages and screens: Page path and screen class'),
  }),
  analytics('GA4, users by the nth day', {
    columns: [
      ['Nth day', (row) => String(row.n).padStart(4, '0')],
      ['Active users', count(900), 'number'],
      ['New users', count(90), 'number'],
    ],
    before: ga('Reports snapshot'),
  }),
  analytics('GA4, an exploration', {
    columns: [
      ['Date', day('%Y%M%D')],
      [
        'Session source / medium',
        oneOf('google / cpc', '(direct) / (none)', 'news.example / referral', '(not set)'),
      ],
      ['Sessions', count(900), 'number'],
      ['Bounce rate', fixed(1, 16), 'number'],
    ],
    before: [
      '# ----------------------------------------',
      '# Free form 1',
      '# 20261101-20261128',
      '# ----------------------------------------',
      '',
    ],
  }),
  analytics('Universal Analytics, with an index of days', {
    columns: [
      ['Source', oneOf('google', '(direct)', 'bing', 'news.example')],
      ['Users', count(9_000, ','), 'number'],
      ['Bounce Rate', (row) => `${row.fixed(90, 2)}%`, 'number'],
      ['Avg. Session Duration', (row) => `00:0${row.int(0, 9)}:${row.digits(2)}`],
      ['Revenue', (row) => `€${row.fixed(90, 2)}`, 'number'],
    ],
    before: ['# ----', '# All traffic', '# 20261101-20261128', '# ----', ''],
    after: [',"123,456",45.12%,00:02:11,"€1,234.50"'],
  }),
  analytics('Matomo, visits', {
    columns: [
      ['idSite', () => '3'],
      ['idVisit', (row) => row.digits(6)],
      ['visitIp', (row) => row.ip().replace(/\d+$/, '0')],
      ['visitorId', (row) => row.hex(16)],
      ['serverTimePretty', moment('%b %d, %Y %h:%m:%s'), 'time'],
      ['actions', count(20), 'number'],
      ['referrerName', oneOf('Google', '', 'news.example, page 2', 'Bing')],
    ],
    ...{ encoding: 'utf-16le', delimiter: ',' },
  }),
  analytics('Matomo, a report as TSV', {
    columns: [
      ['label', oneOf('Germany', 'Côte d’Ivoire', 'Österreich', 'France')],
      ['nb_visits', count(900), 'number'],
      ['bounce_rate', (row) => `${row.int(0, 99)}%`, 'number'],
      ['metadata_code', (row) => row.country().toLowerCase()],
    ],
    delimiter: '\t',
  }),
  analytics('Adobe Analytics, a freeform table', {
    columns: [
      ['Day', day('%b %d, %Y'), 'time'],
      ['Page Views', count(9_000), 'number'],
      ['Visits', count(900), 'number'],
      ['Orders', count(9), 'number'],
    ],
    before: [
      '#=================================================================',
      '# Harbour',
      '# Report suite: Harbour, production',
      '# Date: Nov 1, 2026 - Nov 28, 2026',
      '#',
      '# Segment: All Visits',
      '#=================================================================',
      '',
      '##############################################',
      '# Freeform table',
      '##############################################',
      '',
    ],
  }),
  analytics('Adobe Analytics, a data warehouse', {
    columns: [
      ['Date', day('%b %d, %Y'), 'time'],
      ['Tracking Code', (row) => `ps:${row.pick('g', 'b')}:${row.digits(5)}`],
      ['Mobile Device Type', oneOf('Mobile Phone', 'Other', '::unspecified::')],
      ['Visits', count(900), 'number'],
    ],
    ...{ quote: 'texts', encoding: 'utf-8 with a mark' },
  }),
  analytics('Plausible, sources', {
    columns: [
      ['name', oneOf('Google', 'Direct / None', 'news.example', 'Brave')],
      ['visitors', count(900), 'number'],
      ['bounce_rate', count(99), 'number'],
      ['visit_duration', count(300), 'number'],
    ],
    ending: '\r\n',
  }),
  analytics('Plausible, by the day', {
    columns: [
      ['date', day('%Y-%M-%D'), 'time'],
      ['visitors', count(900), 'number'],
      ['pageviews', count(900), 'number'],
      ['views_per_visit', fixed(5), 'number'],
    ],
  }),
  analytics('Fathom', {
    columns: [
      ['Hostname', () => 'https://harbour.example'],
      ['Pathname', (row) => `/p/${row.n}`],
      ['Views', count(900), 'number'],
      visitors,
    ],
  }),
  analytics('Simple Analytics, raw', {
    columns: [
      ['added_iso', moment('%Y-%M-%DT%h:%m:%s.%fZ'), 'time'],
      ['country_code', (row) => row.country()],
      ['document_referrer', oneOf('', 'https://news.example/a,b', 'https://search.example/?q="pen"')],
      ['is_unique', oneOf('true', 'false')],
      ['path', oneOf('/', '/pens', '/ink')],
    ],
  }),
  analytics('Piwik PRO, semicolons', {
    columns: [
      ['Timestamp', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['Session ID', (row) => row.digits(19)],
      ['Source/Medium', oneOf('google / cpc', 'direct / none')],
      ['Session entry URL', (row) => `https://harbour.example/?a=1;b=${row.n}`],
    ],
    ...{ delimiter: ';', quote: 'needed' },
  }),
  analytics('Mixpanel, events', {
    columns: [
      ['event', oneOf('$mp_web_page_view', 'Signed up', 'Clicked ad')],
      ['time', (row) => String(Math.floor(row.at.getTime() / 1_000)), 'time'],
      ['distinct_id', (row) => `$device:${row.uuid()}`],
      ['$city', oneOf('Köln', 'Paris', '', 'São Paulo')],
      ['properties', (row) => `{"plan":"${row.pick('free', 'paid')}","n":${row.n}}`],
    ],
  }),
  analytics('Amplitude, a chart', {
    columns: [
      ['Segment', oneOf('New', 'Returning')],
      ['2026-11-01', count(99), 'number'],
      ['2026-11-02', count(99), 'number'],
      ['2026-11-03', count(99), 'number'],
    ],
    ...{ before: ['"Daily active users"', '"Harbour"', ''], quote: 'texts' },
  }),
  analytics('Search Console, queries', {
    columns: [
      ['Top queries', oneOf('harbour pens', 'quill', 'ink "gold"', 'pens, cheap')],
      ['Clicks', count(900), 'number'],
      ['Impressions', count(900), 'number'],
      ['CTR', (row) => `${row.fixed(20, 2)}%`, 'number'],
      ['Position', fixed(30), 'number'],
    ],
  }),
  analytics('Yandex Metrica', {
    columns: [
      ['Дата визита', day('%Y-%M-%D'), 'time'],
      ['Источник трафика', oneOf('Переходы по рекламе', 'Прямые заходы', 'Внутренние переходы')],
      ['Визиты', count(900), 'number'],
      ['Отказы', (row) => `${row.fixed(90, 2)}`, 'number'],
    ],
    ...{ encoding: 'utf-8 with a mark', quote: 'texts' },
    before: ['"Отчёт за период с 2026-11-01 по 2026-11-28"', ''],
  }),
]
