// Finds a file of the target by supabase-js, which requires Node.js 22.
import { createClient } from '@supabase/supabase-js';

// Next.js 14 would otherwise cache the responses.
const supabase = createClient(process.env.SUPABASE_URL, process.env.SUPABASE_ANON_KEY, {
  global: { fetch: (url, options) => fetch(url, { ...options, cache: 'no-store' }) },
});

export async function find(name, columns) {
  const { data: file, error } = await supabase.from('site_files').select(columns)
    .eq('base_url', 'https://www.example.com/sitemaps/').eq('name', name).not('content', 'is', null).maybeSingle();
  if (error) throw new Error(error.message);
  if (file?.content) file.content = Buffer.from(file.content.slice(2), 'hex');	// bytea is "\x..." in JSON
  return file;
}
