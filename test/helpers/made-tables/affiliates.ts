import { count, day, fixed, grouped, made, moment, oneOf } from './made-table.ts'
import type { MadeColumn, Make } from './made-table.ts'

const network = (name: string, make: Make) => made('affiliate networks', name, make)
const fraud = (name: string, make: Make) => made('fraud tools', name, make)
const ip = (name: string): MadeColumn => [name, (row) => row.ip()]
const agent = (name: string): MadeColumn => [name, (row) => row.ua()]
const money = (name: string): MadeColumn => [name, fixed(90), 'number']

/** Reports of affiliate networks. */
export const affiliateTables = () => [
  network('CJ, commissions', {
    columns: [
      ['Posting Date', moment('%Y-%M-%DT%h:%m:%sZ'), 'time'],
      ['Action Name', oneOf('Sale', 'Lead, qualified')],
      ['Order ID', (row) => `A-${row.digits(6)}`],
      ['Publisher ID', (row) => row.digits(7)],
      ['Commission (USD)', (row) => (row.chance(0.2) ? `-${row.fixed(9, 2)}` : row.fixed(90, 2)), 'number'],
    ],
  }),
  network('Awin, transactions', {
    columns: [
      ['id', (row) => row.digits(9)],
      ['transaction_date', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['click_ref', oneOf('', 'a_b', 'newsletter|12')],
      ['commission_amount', (row) => `£${row.fixed(90, 2)}`, 'number'],
      ['status', oneOf('approved', 'pending', 'declined')],
    ],
    quote: 'all',
  }),
  network('Impact, actions', {
    columns: [
      ['Action Date', moment('%b %d, %Y %h:%m:%s'), 'time'],
      ['Action ID', (row) => `${row.digits(4)}.${row.digits(4)}.${row.digits(6)}`],
      ['Payout', (row) => `USD${row.fixed(90, 2)}`, 'number'],
      ['Referring Domain', oneOf('news.example', '')],
    ],
  }),
  network('Rakuten, transactions', {
    columns: [
      ['MID', (row) => row.digits(5)],
      ['Advertiser Name', oneOf('Harbour, Inc.', 'Quill & Co')],
      ['Transaction Date', day('%n/%d/%y'), 'time'],
      ['Transaction Time', moment('%h:%m')],
      ['Sales', (row) => `$${grouped(row.int(1_000, 9_999), ',')}.10`, 'number'],
    ],
    before: ['Individual Item Report', 'Date Range: 11/1/2026 - 11/28/2026', ''],
  }),
  network('TUNE, raw clicks', {
    columns: [
      ['Date / Time', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['Affiliate', oneOf('Harbour Media', 'Süd GmbH')],
      ['Transaction ID', (row) => `102${row.hex(27)}`],
      ['Affiliate Sub ID 1', oneOf('', 'abc', '{sub}')],
      ip('Session IP'),
      agent('User Agent'),
    ],
    ...{ quote: 'all', ending: '\n' },
  }),
  network('Everflow, conversions', {
    columns: [
      ['Date', moment('%D/%M/%Y %h:%m:%s CET')],
      ['Conversion ID', (row) => row.hex(32)],
      ['Partner', (row) => `Harbour (${row.n})`],
      ['Revenue', (row) => `€${row.fixed(9, 2)}`, 'number'],
      ip('Session User IP'),
    ],
  }),
  network('ShareASale, bars', {
    columns: [
      ['Trans ID', (row) => row.digits(9)],
      ['Trans Date', moment('%M/%D/%Y %h:%m:%s %p')],
      ['Commission', fixed(9), 'number'],
      ['Comment', oneOf('Sale - 1001', 'Lead', '')],
      ['Click Time', oneOf('10:00', '11:30')],
    ],
    delimiter: '|',
  }),
  network('ClickBank', {
    columns: [
      ['Date', day('%Y-%M-%D'), 'time'],
      ['Receipt', (row) => row.hex(8).toUpperCase()],
      ['Txn Type', oneOf('SALE', 'RFND', 'CGBK')],
      ['Amount', (row) => `$${row.fixed(90, 2)}`, 'number'],
    ],
    quote: 'all',
  }),
  network('Tradedoubler in German', {
    columns: [
      ['Datum', day('%D.%M.%Y'), 'time'],
      ['Programm', oneOf('Häfen & Söhne', 'Größen; Süd')],
      ['Klicks', count(900), 'number'],
      ['Provision', (row) => `${row.int(0, 90)},${row.digits(2)}`, 'number'],
    ],
    ...{ delimiter: ';', encoding: 'windows-1252', ending: '\r\n' },
    before: ['Bericht: Programme', ''],
    after: ['Summe;;1234;567,80'],
  }),
  network('Affise, clicks', {
    columns: [
      ['created_at', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['id', (row) => row.hex(24)],
      ip('ip'),
      agent('ua'),
      ['sub1', oneOf('', '12', 'x')],
      ['payouts', fixed(2, 3), 'number'],
    ],
    delimiter: ';',
  }),
  network('Admitad', {
    columns: [
      ['Дата', day('%D.%M.%Y'), 'time'],
      ['Программа', oneOf('Гавань', 'Перо; чернила')],
      ['Клики', count(900), 'number'],
      ['Комиссия', fixed(9), 'number'],
    ],
    ...{ delimiter: ';', encoding: 'windows-1251', ending: '\r\n' },
  }),
  network('Amazon Associates', {
    columns: [
      ['Category', oneOf('Office', 'Pens, Ink')],
      ['Name', (row) => `Quill No. ${row.n}`],
      ['ASIN', (row) => `B0${row.hex(8).toUpperCase()}`],
      ['Date Shipped', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['Price($)', fixed(90), 'number'],
    ],
    before: ['Fee-Earnings reports from 11-01-2026 to 11-28-2026'],
  }),
  network('Digistore24', {
    columns: [
      ['Datum', day('%D.%M.%Y'), 'time'],
      ['Produkt', oneOf('Kurs „Segeln“', 'Füller')],
      ['Betrag', (row) => `${row.int(1, 90)},${row.digits(2)} €`, 'number'],
      ['Land', () => 'Österreich'],
    ],
    ...{ delimiter: ';', encoding: 'utf-8 with a mark', quote: 'all' },
  }),
  network('Partnerize', {
    columns: [
      ['conversion_id', (row) => `1${row.digits(3)}l${row.digits(9)}`],
      ['conversion_date', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['publisher_name', oneOf('Harbour', 'Quill')],
      money('value'),
      ['country', (row) => row.country()],
    ],
  }),
  network('Trackier, invalid clicks', {
    columns: [
      ['Created', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['Click Id', (row) => row.hex(24)],
      ip('IP'),
      ['Reason', oneOf('Duplicate, same IP', 'proxy', 'GEO mismatch')],
    ],
  }),
]

/** Exports of tools that judge clicks. */
export const fraudTables = () => [
  fraud('ClickCease', {
    columns: [
      ip('IP Address'),
      ['Last Click', moment('%b %D, %Y %h:%m'), 'time'],
      ['Total Clicks', count(20), 'number'],
      ['Status', oneOf('Blocked', 'Monitored')],
      ['Country', (row) => row.country()],
    ],
  }),
  fraud('Lunio', {
    columns: [
      ['timestamp', moment('%Y-%M-%DT%h:%m:%s.%f+00:00'), 'time'],
      ip('ip'),
      ['gclid', (row) => row.token(50)],
      ['threat', oneOf('vpn', 'bot', 'none')],
      agent('user_agent'),
    ],
  }),
  fraud('TrafficGuard', {
    columns: [
      ['Event Date', day('%D/%M/%Y'), 'time'],
      ['Invalidation reason', oneOf('Data centre; hosting', 'Click farm', '')],
      ['Events', count(900), 'number'],
      ['% invalid', (row) => `${row.fixed(90, 1)}%`, 'number'],
    ],
  }),
  fraud('CHEQ', {
    columns: [
      ['Date (UTC)', moment('%Y-%M-%D %h:%m:%s UTC'), 'time'],
      ['Threat group', oneOf('Automation tools', 'Abnormal rate limit')],
      ip('IP'),
      ['Request URL', (row) => `https://harbour.example/?utm_source=x&n=${row.n}`],
    ],
    quote: 'all',
  }),
  fraud('IPQS, a batch', {
    columns: [
      ip('ip'),
      ['success', () => 'TRUE'],
      ['fraud_score', count(100), 'number'],
      ['country_code', (row) => row.country()],
      ['ASN', (row) => row.digits(5)],
      ['proxy', oneOf('TRUE', 'FALSE')],
      ['latitude', (row) => `${row.int(-80, 80)}.${row.digits(2)}`, 'number'],
    ],
    ending: '\r\n',
  }),
  fraud('HUMAN', {
    columns: [
      ['Hour', moment('%Y-%M-%D %h:00:00'), 'time'],
      ['Publisher Domain', oneOf('news.example', 'blog.example')],
      ['Total Events', count(9_000), 'number'],
      ['IVT Rate', fixed(1, 4), 'number'],
      ['GIVT', count(90), 'number'],
      ['SIVT', count(90), 'number'],
    ],
  }),
  fraud('DoubleVerify, titled', {
    columns: [
      ['Campaign', (row) => row.campaign()],
      ['Date', day('%n/%d/%Y'), 'time'],
      ['Monitored Ads', count(90_000, ','), 'number'],
      ['Fraud/SIVT Rate', (row) => `${row.fixed(9, 2)}%`, 'number'],
    ],
    before: [
      'Report Name:,Harbour',
      'Date Range:,11/01/2026 - 11/28/2026',
      'Time Zone:,(UTC-05:00) Eastern Time',
      '',
    ],
  }),
  fraud('IAS, with a grand total', {
    columns: [
      ['Media Partner', oneOf('Google', 'Meta')],
      ['Campaign', (row) => row.campaign()],
      ['Impressions', count(90_000, ','), 'number'],
      ['SIVT %', (row) => `${row.fixed(9, 2)}%`, 'number'],
    ],
    after: ['Grand Total,,"1,234,567",1.23%'],
  }),
  fraud('Anura, tabs', {
    columns: [
      ['Date', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['Source', oneOf('src1', 'src2')],
      ['Result', oneOf('good', 'warn', 'bad')],
      ['Rule Sets', oneOf('', 'DC;WC', 'NU')],
      ip('IP'),
      agent('User Agent'),
    ],
    delimiter: '\t',
  }),
  fraud('24metrics, clicks', {
    columns: [
      ['Datetime', moment('%Y-%M-%D %h:%m:%s'), 'time'],
      ['Fraud score', count(100), 'number'],
      ['Tracking ID', (row) => row.uuid()],
      ['Reject reason', oneOf('', 'Blacklisted IP, TOR')],
      ip('IP'),
    ],
    quote: 'texts',
  }),
]
