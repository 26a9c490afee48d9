import { count, fixed, made, moment, oneOf } from './made-table.ts'
import type { MadeColumn, Make, Row } from './made-table.ts'

const log = (name: string, make: Make) => made('web servers', name, { quote: 'never', ...make })

/** Cells with blanks between, some of them in quotes or brackets. */
const marked = (marks: string) => (cells: readonly string[]) =>
  cells
    .map((cell, nth) => (marks[nth] === '"' ? `"${cell}"` : marks[nth] === '[' ? `[${cell}]` : cell))
    .join(' ')

const time: MadeColumn = ['', moment('%D/%b/%Y:%h:%m:%s +0100'), 'time']
const request = (row: Row) =>
  `${row.pick('GET', 'POST')} ${row.pick('/', '/shop?q=a%20b', '/img/[1].png', '/a,b;c')} HTTP/${row.pick('1.1', '2.0')}`
const ip: MadeColumn = ['', (row) => row.ip()]
const text = (cell: (row: Row) => string): MadeColumn => ['', cell]
const dash = text(() => '-')
const status = text(oneOf('200', '304', '404'))
const referrer = text(oneOf('-', 'https://news.example/a?b=c d', 'https://search.example/'))
const agent = text((row) => row.ua())
const named = (columns: readonly MadeColumn[], names: string): readonly MadeColumn[] => {
  const all = names.split(' ')
  return columns.map(([, ...rest], nth): MadeColumn => [all[nth] ?? '', ...rest])
}
const plus = (row: Row) => row.ua().replaceAll(' ', '+')

const common = [ip, dash, text(oneOf('-', 'frank')), time, text(request), status, text(count(9_000))]
const combined = [...common, referrer, agent]
const w3cNames =
  'date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status time-taken'
const w3c = named(
  [
    ['', moment('%Y-%M-%D'), 'time'],
    text(moment('%h:%m:%s')),
    text(() => '192.0.2.10'),
    text(oneOf('GET', 'POST')),
    text(oneOf('/', '/default.aspx', '/a+b')),
    text(oneOf('-', 'gclid=Cj0&x=1')),
    text(() => '443'),
    dash,
    ip,
    text(plus),
    status,
    text(count(900)),
  ],
  w3cNames,
)
const w3cHead = (fields: string) => [
  '#Software: Microsoft Internet Information Services 10.0',
  '#Version: 1.0',
  '#Date: 2026-11-01 00:00:00',
  `#Fields: ${fields}`,
]

/** Access logs. */
export const logTables = () => [
  log('IIS, W3C extended', {
    columns: w3c,
    delimiter: ' ',
    ending: '\r\n',
    before: w3cHead(w3cNames).slice(0, 3),
    head: `#Fields: ${w3cNames}`,
  }),
  log('IIS, started anew midway', {
    columns: w3c,
    ...{ delimiter: ' ', ending: '\r\n', before: w3cHead('').slice(0, 3), head: `#Fields: ${w3cNames}` },
    amid: w3cHead(w3cNames),
  }),
  log('W3C, of few fields', {
    columns: named(
      [text(moment('%h:%m:%s')), ip, text(oneOf('GET', 'HEAD')), text(oneOf('/', '/x'))],
      'time c-ip cs-method cs-uri',
    ),
    ...{
      delimiter: ' ',
      before: ['#Version: 1.0', '#Date: 12-Nov-2026 00:00:00'],
      head: '#Fields: time c-ip cs-method cs-uri',
    },
  }),
  log('CloudFront', {
    columns: named(
      [
        ['', moment('%Y-%M-%D'), 'time'],
        text(moment('%h:%m:%s')),
        text(oneOf('FRA56-P4', 'CDG52-C1')),
        text(count(9_000)),
        ip,
        text(oneOf('GET', 'POST')),
        text(() => 'd111111abcdef8.cloudfront.example'),
        text(oneOf('/index.html', '/a%2520b')),
        status,
        text(oneOf('-', 'https://news.example/')),
        text((row) => row.ua().replaceAll(' ', '%20')),
      ],
      'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent)',
    ),
    delimiter: '\t',
    before: ['#Version: 1.0'],
    head: '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent)',
  }),
  log('CloudFront, in real time', {
    columns: [
      ['', (row) => `${Math.floor(row.at.getTime() / 1_000)}.${row.digits(3)}`],
      ip,
      text(fixed(1, 3)),
      status,
      text(oneOf('GET', 'POST')),
      text(() => 'd1.cloudfront.example'),
      text((row) => row.ua().replaceAll(' ', '%20')),
    ],
    ...{ delimiter: '\t', head: null },
  }),
  log('Apache, common', { columns: common, delimiter: ' ', head: null, line: marked('   ["   ') }),
  log('Apache, combined', { columns: combined, delimiter: ' ', head: null, line: marked('   ["  ""') }),
  log('Apache, combined with hosts', {
    columns: [text(() => 'harbour.example:443'), ...combined],
    ...{ delimiter: ' ', head: null, line: marked('    ["  ""') },
  }),
  log('Apache, quotes within agents', {
    columns: [...common, referrer, text(oneOf('curl/8.1', 'Agent "X" 1.0', 'Mozilla/5.0 (X11)'))],
    ...{ delimiter: ' ', head: null },
    line: (cells) => marked('   ["  ""')(cells.map((cell) => cell.replaceAll('"', '\\"'))),
  }),
  log('nginx, combined with times', {
    columns: [...combined, text(fixed(1, 3)), text(oneOf('-', '0.012'))],
    ...{ delimiter: ' ', head: null, line: marked('   ["  ""  ') },
  }),
  log('nginx, forwarded addresses', {
    columns: [...combined, text((row) => `${row.ip()}, ${row.ip()}`)],
    ...{ delimiter: ' ', head: null, line: marked('   ["  """') },
  }),
  log('ALB', {
    columns: [
      text(oneOf('h2', 'https')),
      ['', moment('%Y-%M-%DT%h:%m:%s.%f001Z'), 'time'],
      text((row) => `app/harbour/${row.hex(16)}`),
      text((row) => `${row.ip()}:${row.int(1_024, 60_000)}`),
      text(() => '192.0.2.20:80'),
      ...[
        text(fixed(1, 3)),
        text(fixed(1, 3)),
        text(() => '0.000'),
        status,
        status,
        text(count(900)),
        text(count(900)),
      ],
      text((row) => `GET https://harbour.example:443/?n=${row.n} HTTP/2.0`),
      agent,
      text(() => 'ECDHE-RSA-AES128-GCM-SHA256'),
      text(() => 'TLSv1.2'),
      text((row) => `Root=1-${row.hex(8)}-${row.hex(24)}`),
      text(() => '0'),
    ],
    ...{ delimiter: ' ', head: null, line: marked('            ""  " ') },
  }),
  log('ELB, classic', {
    columns: [
      ['', moment('%Y-%M-%DT%h:%m:%s.%fZ'), 'time'],
      text(() => 'my-elb'),
      text((row) => `${row.ip()}:${row.int(1_024, 60_000)}`),
      text(fixed(1, 6)),
      status,
      text(count(99)),
      text(() => 'GET http://www.example.com:80/ HTTP/1.1'),
      agent,
    ],
    ...{ delimiter: ' ', head: null, line: marked('      ""') },
  }),
  log('S3, server access', {
    columns: [
      text((row) => row.hex(64)),
      text(() => 'harbour-bucket'),
      time,
      ip,
      dash,
      text((row) => row.hex(16).toUpperCase()),
      text(() => 'REST.GET.OBJECT'),
      text((row) => `img/${row.n}.png`),
      text((row) => `GET /img/${row.n}.png HTTP/1.1`),
      status,
      dash,
      text(count(900)),
      agent,
    ],
    ...{ delimiter: ' ', head: null, line: marked('  [     "   "') },
  }),
  log('Cloudflare, by a worker', {
    columns: named(
      [
        ['', moment('%Y-%M-%DT%h:%m:%sZ'), 'time'],
        ip,
        text((row) => row.hex(16)),
        agent,
        status,
        text(oneOf('', 'https://news.example/a,b')),
      ],
      'EdgeStartTimestamp ClientIP RayID ClientRequestUserAgent EdgeResponseStatus ClientRequestReferer',
    ),
    quote: 'needed',
  }),
  log('Fastly, with bars', {
    columns: named(
      [['', moment('%Y-%M-%DT%h:%m:%s+0000'), 'time'], ip, text(oneOf('/', '/a')), status, agent],
      'timestamp client_ip url status user_agent',
    ),
    ...{ delimiter: '|', head: null },
  }),
  log('Azure Front Door', {
    columns: named(
      [['', moment('%n/%d/%Y, %I:%m:%s.%f %p'), 'time'], text((row) => row.token(20)), ip, status, agent],
      'TimeGenerated trackingReference_s clientIp_s httpStatusCode_s userAgent_s',
    ),
    quote: 'all',
  }),
  log('Google Cloud Storage, usage', {
    columns: named(
      [
        ['', (row) => String(row.at.getTime() * 1_000)],
        ip,
        text(() => '1'),
        text(oneOf('GET', 'PUT')),
        status,
        agent,
      ],
      'time_micros c_ip c_ip_type cs_method sc_status cs_user_agent',
    ),
    quote: 'all',
  }),
  log('Squid, padded', {
    columns: [
      ['', (row) => `${Math.floor(row.at.getTime() / 1_000)}.${row.digits(3)}`],
      text((row) => String(row.int(100, 999))),
      ip,
      text(oneOf('TCP_MISS/200', 'TCP_HIT/200')),
      text(count(900)),
      text(() => 'GET'),
      text((row) => `http://news.example/${row.n}`),
      dash,
      text(() => 'HIER_DIRECT/192.0.2.9'),
      text(() => 'text/html'),
    ],
    ...{ delimiter: ' ', head: null },
  }),
]
