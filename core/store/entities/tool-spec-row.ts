import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `holdpoint_tool_specs`: each distinct tool spec once, by the hash of its canonical JSON. */
@Entity({ name: 'holdpoint_tool_specs' })
export class ToolSpecRow {
  @PrimaryColumn({ name: 'hash', type: 'varchar' })
  hash!: string;

  @Column({ name: 'spec', type: 'text' })
  spec!: string;
}
