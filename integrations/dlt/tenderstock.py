"""Tenderstock as a dlt source: a rest_api configuration. `pip install "dlt[duckdb]"`, then `python tenderstock.py`.

The configuration is plain data and this module imports dlt only when it loads, so it can be read without dlt.
"""
import os

ARCHIVE_START = '2022-01-01T00:00:00.000Z'


def config(base_url, token, filters=None):
    """Returns the rest_api configuration. `filters`: cpv, nuts, … as in the API; other filters need a new pipeline."""
    return {
        'client': {
            'base_url': f'{base_url.rstrip("/")}/v1/',
            'headers': {'Accept': 'application/json'},
            'auth': {'type': 'bearer', 'token': token},
        },
        'resources': [
            {
                'name': 'tenders',
                'primary_key': 'id',
                'write_disposition': 'merge',
                # Lots, codes and sources become child tables; deeper levels are kept as JSON.
                'max_table_nesting': 1,
                'endpoint': {
                    'path': 'tenders',
                    'data_selector': 'data',
                    'params': {
                        **(filters or {}),
                        'limit': 100,
                        # The value at the start of the run: every page must carry the same one.
                        'updated_since': '{incremental.start_value}',
                    },
                    'paginator': {'type': 'cursor', 'cursor_path': 'nextCursor', 'cursor_param': 'cursor'},
                    # The state is the largest lastModified of the records. It starts at the beginning of the archive,
                    # so the first load is a delta too: it includes archived records and may be repeated.
                    'incremental': {'cursor_path': 'lastModified', 'initial_value': ARCHIVE_START},
                },
            }
        ],
    }


def load(destination='duckdb'):
    """Loads what changed since the last load."""
    import dlt
    from dlt.sources.rest_api import rest_api_source

    source = rest_api_source(config(os.environ['TENDER_URL'], os.environ['TENDER_TOKEN']), name='tenderstock')
    pipeline = dlt.pipeline(pipeline_name='tenderstock', destination=destination, dataset_name='tenders')
    return pipeline.run(source)


if __name__ == '__main__':
    print(load())
