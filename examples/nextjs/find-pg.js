// Finds a file of the target by pg.
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });

export async function find(name, columns) {
  const { rows } = await pool.query(
    `SELECT ${columns} FROM public.site_files
      WHERE base_url = 'https://www.example.com/sitemaps/' AND name = $1 AND content IS NOT NULL`, [name]);
  return rows[0];
}
