locals {
  of_results  = "resource.type = \"cloud_run_revision\" AND metric.type = \"logging.googleapis.com/user/${google_logging_metric.results.name}\""
  of_seconds  = "resource.type = \"cloud_run_revision\" AND metric.type = \"logging.googleapis.com/user/${google_logging_metric.seconds.name}\""
  of_requests = "resource.type = \"cloud_run_revision\" AND metric.type = \"run.googleapis.com/request_count\" AND resource.labels.service_name = one_of(${join(", ", [for n in local.service_names : "\"${n}\""])})"
  of_queues   = "resource.type = \"pubsub_subscription\" AND resource.labels.subscription_id = monitoring.regex.full_match(\"${var.name_prefix}-(${join("|", keys(local.queues))})\")"

  # Sums and ratios are in PromQL. A day is the 24 hours before each point.
  on_cloud_run = "monitored_resource=\"cloud_run_revision\""
  cost_a_day   = "sum by (agent) (increase(${local.promql}_cost_usd_sum{${local.on_cloud_run}}[1d]))"
  cache_hits   = "sum(increase(${local.promql}_results{${local.on_cloud_run},cached=\"true\"}[1h])) / sum(increase(${local.promql}_results{${local.on_cloud_run}}[1h]))"

  # The charts, by title: how each is drawn, and the series it shows. A series has a
  # filter and its aggregation, or a promql.
  charts = [
    {
      title = "Results by source, an hour", plot = "STACKED_BAR"
      series = [{
        filter = local.of_results, period = "3600s", align = "ALIGN_DELTA", reduce = "REDUCE_SUM", by = ["metric.label.source"]
      }]
    },
    {
      title = "Seconds for a photo: half, 95 and 99 of 100 take less", plot = "LINE"
      series = [for percent in ["50", "95", "99"] : {
        filter = local.of_seconds, period = "300s", align = "ALIGN_DELTA", reduce = "REDUCE_PERCENTILE_${percent}", by = []
      }]
    },
    { title = "USD a day by agent, by the price table", plot = "LINE", series = [{ promql = local.cost_a_day }] },
    { title = "Cache hits: part of the photos that came from the result cache", plot = "LINE", series = [{ promql = local.cache_hits }] },
    {
      title = "Requests by service and answer, a minute", plot = "STACKED_BAR"
      series = [{
        filter = local.of_requests, period = "60s", align = "ALIGN_DELTA", reduce = "REDUCE_SUM"
        by     = ["resource.label.service_name", "metric.label.response_code_class"]
      }]
    },
    {
      title = "Oldest message, seconds", plot = "LINE"
      series = [{
        filter = "${local.of_queues} AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\""
        period = "60s", align = "ALIGN_MAX", reduce = "REDUCE_MAX", by = ["resource.label.subscription_id"]
      }]
    },
    {
      title = "Messages waiting", plot = "LINE"
      series = [{
        filter = "${local.of_queues} AND metric.type = \"pubsub.googleapis.com/subscription/num_undelivered_messages\""
        period = "60s", align = "ALIGN_MAX", reduce = "REDUCE_MAX", by = ["resource.label.subscription_id"]
      }]
    },
    {
      title = "Dead letters, an hour", plot = "STACKED_BAR"
      series = [{
        filter = "${local.of_queues} AND metric.type = \"pubsub.googleapis.com/subscription/dead_letter_message_count\""
        period = "3600s", align = "ALIGN_DELTA", reduce = "REDUCE_SUM", by = ["resource.label.subscription_id"]
      }]
    },
  ]

  # The same in Cloud Monitoring's format, two charts a row. Zero and empty values are
  # left out, as in the API's responses, or each apply would show a change.
  tiles = [for i, chart in local.charts : {
    for key, value in {
      xPos   = i % 2 * 24
      yPos   = floor(i / 2) * 16
      width  = 24
      height = 16
      widget = {
        title = chart.title
        xyChart = {
          dataSets = [for s in chart.series : {
            plotType = chart.plot
            timeSeriesQuery = {
              for kind, query in {
                prometheusQuery = try(s.promql, null)
                timeSeriesFilter = try({
                  filter = s.filter
                  aggregation = {
                    for name, how in { alignmentPeriod = s.period, perSeriesAligner = s.align, crossSeriesReducer = s.reduce, groupByFields = s.by } :
                    name => how if length(how) > 0
                  }
                }, null)
              } : kind => query if query != null
            }
          }]
        }
      }
    } : key => value if value != 0
  }]
}

resource "google_monitoring_dashboard" "whatis" {
  project = var.project
  dashboard_json = jsonencode({
    displayName  = var.name_prefix
    mosaicLayout = { columns = 48, tiles = local.tiles }
  })

  depends_on = [google_project_service.apis]
}
