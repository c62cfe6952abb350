import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';

/** One statement on an open transaction, or on the read connection. */
export interface Sql {
  query(sql: string, parameters: readonly unknown[]): Promise<{ records: ObjectLiteral[]; affected: number }>;
}

/** The status of a row whose status is no text: no version writes it. To a write that names it, such a status is it. */
export const NOT_TEXT = 'not text';

/**
 * The statements of one table, compiled once from its entity's metadata.
 *
 * Every value is a parameter; names come from the entity alone. A write says how many rows it met: the caller decides
 * what it means that there was none.
 */
export class Table<Row extends object> {
  readonly #metadata: EntityMetadata;
  readonly #statements = new Map<string, string>();
  readonly #columns: string;

  constructor(
    private readonly source: DataSource,
    entity: abstract new () => Row,
  ) {
    this.#metadata = source.getMetadata(entity);
    this.#columns = this.#metadata.columns.map((column) => this.#name(column)).join(', ');
  }

  /** Adds rows; returns the keys that the database gave them, in the same order, if it gives any. */
  async insert(sql: Sql, rows: readonly Partial<Row>[]): Promise<number[]> {
    const keys = Object.keys(rows[0] ?? {});
    const statement = this.#compiled(`insert ${rows.length} ${keys.join()}`, () => {
      const names = keys.map((key) => this.#name(this.#column(key))).join(', ');
      const tuples = rows.map((_, row) => `(${keys.map((_key, at) => this.#mark(row * keys.length + at)).join(', ')})`);
      return `INSERT INTO ${this.#table()} (${names}) VALUES ${tuples.join(', ')}${this.#returning()}`;
    });
    const { records } = await sql.query(
      statement,
      rows.flatMap((row) => this.#values(row, keys)),
    );
    return records.map((record) => Number(Object.values(record)[0])).sort((a, b) => a - b);
  }

  /** Adds a row unless its primary key is there already. */
  async insertIfAbsent(sql: Sql, row: Partial<Row>): Promise<void> {
    const keys = Object.keys(row);
    const statement = this.#compiled(`insert if absent ${keys.join()}`, () => {
      const names = keys.map((key) => this.#name(this.#column(key))).join(', ');
      const marks = keys.map((_, at) => this.#mark(at)).join(', ');
      return `INSERT INTO ${this.#table()} (${names}) VALUES (${marks}) ON CONFLICT DO NOTHING`;
    });
    await sql.query(statement, this.#values(row, keys));
  }

  /** Changes the rows that match `where` exactly; returns how many there were. */
  async update(sql: Sql, set: Partial<Row>, where: Partial<Row>): Promise<number> {
    const keys = Object.keys(set);
    const tests = Object.keys(where);
    const odd = Object.entries(where).some(([key, value]) => key === 'status' && value === NOT_TEXT);
    const statement = this.#compiled(`update ${keys.join()} where ${tests.join()} ${odd}`, () => {
      const sets = keys.map((key, at) => `${this.#name(this.#column(key))} = ${this.#mark(at)}`).join(', ');
      return `UPDATE ${this.#table()} SET ${sets} WHERE ${this.#tests(tests, keys.length, odd)}`;
    });
    return (await sql.query(statement, [...this.#values(set, keys), ...this.#values(where, tests)])).affected;
  }

  /** The rows that match `where`, in the order of `by`; `after` skips those up to that value of `by`, in that order. */
  async find(sql: Sql, where: Partial<Row>, options: FindOptions<Row> = {}): Promise<Row[]> {
    return (await this.#select(sql, this.#columns, where, options)).map((record) => this.#row(record));
  }

  /** The same rows with each text of more bytes than `max` cut, and how many bytes each text of a row has uncut. */
  async findCut(sql: Sql, where: Partial<Row>, options: FindOptions<Row>, max: number): Promise<CutRow<Row>[]> {
    const records = await this.#select(sql, this.#cutColumns(), where, options, this.#cutLengths(max));
    return records.map((record) => ({
      row: this.#row(record),
      bytes: new Map(
        this.#texts().map((column) => [column.propertyName as keyof Row, Number(record[bytesOf(column)])]),
      ),
    }));
  }

  /** To `substr`, a NUL is the end of a text: only what is too long passes it, and how long it was is known. */
  #cutColumns(): string {
    return this.#compiled('columns, cut', () => {
      const texts = this.#texts();
      const cut = this.#metadata.columns.map((column) => {
        const name = this.#name(column);
        const at = texts.indexOf(column);
        if (at === -1) return name;
        const [limit, length] = [this.#mark(2 * at), this.#mark(2 * at + 1)];
        return `CASE WHEN octet_length(${name}) <= ${limit} THEN ${name} ELSE substr(${name}, 1, ${length}) END AS ${name}`;
      });
      const bytes = texts.map(
        (column) => `coalesce(octet_length(${this.#name(column)}), 0) AS ${this.source.driver.escape(bytesOf(column))}`,
      );
      return [...cut, ...bytes].join(', ');
    });
  }

  /** How long each text may be, as often as the columns ask for it. */
  #cutLengths(max: number): number[] {
    return this.#texts().flatMap(() => [max, max]);
  }

  #texts(): ColumnMetadata[] {
    return this.#metadata.columns.filter(({ type }) => type === 'text' || type === 'varchar');
  }

  async #select(
    sql: Sql,
    columns: string,
    where: Partial<Row>,
    { by, descending = false, after, limit }: FindOptions<Row>,
    ofColumns: readonly unknown[] = [],
  ): Promise<ObjectLiteral[]> {
    const tests = Object.keys(where);
    const parameters = [...ofColumns, ...this.#values(where, tests)];
    const tested = parameters.length;
    const key = `${columns} ${tests.join()} by ${by ?? ''} ${descending} ${after !== undefined} ${limit !== undefined}`;
    const statement = this.#compiled(key, () => {
      const conditions = tests.length > 0 ? [this.#tests(tests, ofColumns.length)] : [];
      const beyond = descending ? '<' : '>';
      if (by && after !== undefined) conditions.push(`${this.#name(this.#column(by))} ${beyond} ${this.#mark(tested)}`);
      const order = by ? ` ORDER BY ${this.#name(this.#column(by))}${descending ? ' DESC' : ''}` : '';
      const bound = limit === undefined ? '' : ` LIMIT ${this.#mark(tested + (after === undefined ? 0 : 1))}`;
      const filter = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
      return `SELECT ${columns} FROM ${this.#table()}${filter}${order}${bound}`;
    });
    if (after !== undefined) parameters.push(after);
    if (limit !== undefined) parameters.push(limit);
    return (await sql.query(statement, parameters)).records;
  }

  /**
   * A page of the rows that match `where`, in the order of `by`: at most `rows` of them, and no more than it takes to
   * reach `bytes` of text. It has a row if there is one, however long.
   */
  async page(sql: Sql, where: Partial<Row>, { by, after, rows, bytes }: PageOptions<Row>): Promise<Row[]> {
    const tests = Object.keys(where);
    const statement = this.#compiled(`page ${tests.join()} by ${by} ${after !== undefined}`, () =>
      this.#pageStatement(tests, by, after !== undefined),
    );
    const bounds = [...this.#values(where, tests), ...(after === undefined ? [] : [after])];
    const { records } = await sql.query(statement, [...bounds, ...bounds, rows, bytes]);
    return records.map((record) => this.#row(record));
  }

  /** The sizes are summed up before any row is read: a window over the rows would hold them all. */
  #pageStatement(tests: readonly string[], by: keyof Row & string, after: boolean): string {
    const key = this.#name(this.#column(by));
    const marked = tests.length + (after ? 1 : 0);
    const filter = (from: number): string => {
      const bound = after ? [`${key} > ${this.#mark(from + tests.length)}`] : [];
      return ['1 = 1', ...(tests.length > 0 ? [this.#tests(tests, from)] : []), ...bound].join(' AND ');
    };
    const texts = this.#metadata.columns.filter(({ type }) => type === 'text').map((column) => this.#name(column));
    const size = texts.map((name) => `COALESCE(octet_length(${name}), 0)`).join(' + ') || '0';
    const sizes = `SELECT ${key}, ${size} AS size FROM ${this.#table()} WHERE ${filter(marked)} ORDER BY ${key} LIMIT ${this.#mark(2 * marked)}`;
    const before = `SUM(size) OVER (ORDER BY ${key} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`;
    const last = `SELECT MAX(${key}) FROM (SELECT ${key}, ${before} AS before FROM (${sizes}) AS sized) AS summed WHERE COALESCE(before, 0) < ${this.#mark(2 * marked + 1)}`;
    return `SELECT ${this.#columns} FROM ${this.#table()} WHERE ${filter(0)} AND ${key} <= (${last}) ORDER BY ${key}`;
  }

  /** Some columns of the rows that match `where`, see `find`. */
  async pick<Key extends keyof Row & string>(
    sql: Sql,
    keys: readonly Key[],
    where: Partial<Row>,
    options: FindOptions<Row>,
  ): Promise<Pick<Row, Key>[]> {
    const columns = keys.map((key) => this.#name(this.#column(key))).join(', ');
    const records = await this.#select(sql, columns, where, options);
    return records.map((record) => this.#row(record));
  }

  /**
   * Some columns of the first row, in the order of `ref` and `by`, whose `ref` is the `key` of no row of the other table.
   *
   * The database compares the two itself: a text that is not UTF-8 is another one once it was read.
   */
  async unmatched<Key extends keyof Row & string, Other extends object>(
    sql: Sql,
    keys: readonly Key[],
    { ref, by }: Readonly<Record<'ref' | 'by', keyof Row & string>>,
    other: Table<Other>,
    key: keyof Other & string,
  ): Promise<Pick<Row, Key> | null> {
    const statement = this.#compiled(`unmatched ${keys.join()} of ${ref} by ${by} in ${other.#table()} ${key}`, () => {
      const mine = (name: string): string => `${this.#table()}.${this.#name(this.#column(name))}`;
      const theirs = `${other.#table()}.${other.#name(other.#column(key))}`;
      return [
        `SELECT ${keys.map(mine).join(', ')} FROM ${this.#table()}`,
        `LEFT JOIN ${other.#table()} ON ${theirs} = ${mine(ref)} WHERE ${theirs} IS NULL`,
        `ORDER BY ${mine(ref)}, ${mine(by)} LIMIT 1`,
      ].join(' ');
    });
    const { records } = await sql.query(statement, []);
    return records[0] ? this.#row(records[0]) : null;
  }

  #returning(): string {
    const generated = this.#metadata.generatedColumns[0];
    return generated ? ` RETURNING ${this.#name(generated)}` : '';
  }

  #row(record: ObjectLiteral): Row {
    const row: ObjectLiteral = {};
    for (const column of this.#metadata.columns) {
      row[column.propertyName] = this.source.driver.prepareHydratedValue(
        record[column.databaseName],
        column,
      ) as unknown;
    }
    return row as Row;
  }

  #values(row: Partial<Row>, keys: readonly string[]): unknown[] {
    const { driver } = this.source;
    return keys.map((key) => driver.preparePersistentValue(row[key as keyof Row], this.#column(key)) as unknown);
  }

  /** @param odd whether a status that is no text is met, too */
  #tests(keys: readonly string[], from: number, odd = false): string {
    const test = (key: string, at: number): string => {
      const name = this.#name(this.#column(key));
      const equal = `${name} = ${this.#mark(from + at)}`;
      return odd && key === 'status' ? `(${equal} OR typeof(${name}) <> 'text')` : equal;
    };
    return keys.map(test).join(' AND ');
  }

  #column(key: string): ColumnMetadata {
    const column = this.#metadata.findColumnWithPropertyName(key);
    if (!column) throw new Error(`${this.#metadata.name} has no column ${key}`);
    return column;
  }

  #name(column: ColumnMetadata): string {
    return this.source.driver.escape(column.databaseName);
  }

  #table(): string {
    return this.source.driver.escape(this.#metadata.tableName);
  }

  #mark(at: number): string {
    return this.source.driver.createParameter(`p${at}`, at);
  }

  #compiled(key: string, build: () => string): string {
    let statement = this.#statements.get(key);
    if (statement === undefined) {
      statement = build();
      this.#statements.set(key, statement);
    }
    return statement;
  }
}

/** What the length of a column's text is called in a result; no column has such a name. */
function bytesOf({ databaseName }: ColumnMetadata): string {
  return `bytes of ${databaseName}`;
}

/** A row of which each text is cut that has too many bytes. */
export interface CutRow<Row> {
  readonly row: Row;
  /** How many bytes each text has uncut. */
  readonly bytes: ReadonlyMap<keyof Row, number>;
}

export interface FindOptions<Row> {
  readonly by?: keyof Row & string;
  readonly descending?: boolean;
  readonly after?: number;
  readonly limit?: number;
}

export interface PageOptions<Row> {
  readonly by: keyof Row & string;
  readonly after?: unknown;
  readonly rows: number;
  readonly bytes: number;
}
