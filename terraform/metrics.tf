# Metrics from the log lines about each photo. internal/analyze/intake writes the lines:
#
#	object analysed      source, cached, took   a photo of the bucket, a batch or a request
#
# And of all agents: what their calls of models cost, in the lines "models cost" of
# internal/spend, with agent, model and cost_usd; and model errors: internal/gemini's errors
# are in the field error of a line, as "gemini: MODEL: quota: …".

locals {
  log_of_services = "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^${var.name_prefix}-(upload|task|api)$\""

  # Kinds of internal/gemini.Error that are not about one photo or question alone.
  model_errors = ["budget", "gone", "invalid", "malformed", "no_search", "not_in_plan", "quota", "unauthorized", "unavailable", "unpaid"]

  # The PromQL name of a log-based metric.
  promql = "logging_googleapis_com:user_${replace(var.name_prefix, "-", "_")}"
}

resource "google_logging_metric" "results" {
  project     = var.project
  name        = "${var.name_prefix}/results"
  description = "Analysed photos, by source and whether the result came from the cache"
  filter      = "${local.log_of_services} AND jsonPayload.message=\"object analysed\""

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"
    labels {
      key        = "source"
      value_type = "STRING"
    }
    labels {
      key        = "cached"
      value_type = "STRING"
    }
  }
  label_extractors = {
    source = "EXTRACT(jsonPayload.source)"
    cached = "EXTRACT(jsonPayload.cached)"
  }

  depends_on = [google_project_service.apis]
}

resource "google_logging_metric" "seconds" {
  project         = var.project
  name            = "${var.name_prefix}/seconds"
  description     = "Duration of a photo's analysis, without cached results"
  filter          = "${local.log_of_services} AND jsonPayload.message=\"object analysed\" AND jsonPayload.cached=false"
  value_extractor = "REGEXP_EXTRACT(jsonPayload.took, \"^([0-9.]+)s$\")"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "s"
    labels {
      key        = "source"
      value_type = "STRING"
    }
  }
  label_extractors = {
    source = "EXTRACT(jsonPayload.source)"
  }

  # From a tenth of a second to ten minutes.
  bucket_options {
    exponential_buckets {
      scale              = 0.1
      growth_factor      = 1.35
      num_finite_buckets = 30
    }
  }

  depends_on = [google_project_service.apis]
}

resource "google_logging_metric" "cost" {
  project         = var.project
  name            = "${var.name_prefix}/cost_usd"
  description     = "Cost of model calls by the price table, by agent and model, including failed attempts"
  filter          = "${local.log_of_services} AND jsonPayload.message=\"models cost\""
  value_extractor = "EXTRACT(jsonPayload.cost_usd)"

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "DISTRIBUTION"
    unit        = "{USD}"
    labels {
      key        = "agent"
      value_type = "STRING"
    }
    labels {
      key        = "model"
      value_type = "STRING"
    }
  }
  label_extractors = {
    agent = "EXTRACT(jsonPayload.agent)"
    model = "EXTRACT(jsonPayload.model)"
  }

  # From a hundredth of a cent to about ten dollars. The dashboard asks for the
  # sum, which is exact.
  bucket_options {
    exponential_buckets {
      scale              = 0.0001
      growth_factor      = 2
      num_finite_buckets = 17
    }
  }

  depends_on = [google_project_service.apis]
}

resource "google_logging_metric" "model_errors" {
  project     = var.project
  name        = "${var.name_prefix}/model_errors"
  description = "Model calls that failed for good or for this attempt, by kind of error"
  filter      = "${local.log_of_services} AND severity>=WARNING AND jsonPayload.error=~\"gemini: ([a-z0-9.-]+: )?(${join("|", local.model_errors)})\""

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"
    labels {
      key        = "kind"
      value_type = "STRING"
    }
  }
  label_extractors = {
    kind = "REGEXP_EXTRACT(jsonPayload.error, \"gemini: (?:[a-z0-9.-]+: )?(${join("|", local.model_errors)})\")"
  }

  depends_on = [google_project_service.apis]
}

# Counters for alerts. Results that took two minutes and more; and, of Cloud Run's own log,
# requests that ask no model, and those of them that took a second and more.
locals {
  reads = "${local.log_of_services} AND log_id(\"run.googleapis.com/requests\") AND httpRequest.requestMethod=\"GET\" AND httpRequest.requestUrl=~\"/(health|results|batches|spend|caller|openapi[.]json)([?/]|$)\" AND NOT httpRequest.requestUrl=~\"/(events|stream|image)\""
  counts = {
    late       = { what = "Photos that were analysed in two minutes and more", filter = "${local.log_of_services} AND jsonPayload.message=\"object analysed\" AND jsonPayload.cached=false AND jsonPayload.took=~\"^(1[2-9][0-9]|[2-9][0-9][0-9]|[0-9]{4,})([.][0-9]+)?s$\"" }
    reads      = { what = "Requests of the API that ask no model", filter = local.reads }
    slow_reads = { what = "Requests of the API that ask no model and took a second and more", filter = "${local.reads} AND httpRequest.latency>=\"1s\"" }
  }
}

resource "google_logging_metric" "counts" {
  for_each = local.counts

  project     = var.project
  name        = "${var.name_prefix}/${each.key}"
  description = each.value.what
  filter      = each.value.filter

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = "INT64"
    unit        = "1"
  }

  depends_on = [google_project_service.apis]
}
